"""What `replay` is made of; see there."""
