"""A recorded match, put to a bot once more over the wire: whatever it answers, what was played then is carried out."""
