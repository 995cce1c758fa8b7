from support.position import goals, position


def test_6_1_sidebar_a_block_in_massilia_reaches_these_cities() -> None:
    """S10."""
    state = position("massilia caesar: legio_7", card="1/2")
    assert goals(state, "caesar", "move legio_7 ") == {
        "narbo", "narbo tarraco", "narbo burdigala",
        "lugdunum", "lugdunum cenabum", "lugdunum treveri", "lugdunum genua",
        "genua", "genua ravenna", "genua rome", "genua lugdunum",
    }  # fmt: skip
