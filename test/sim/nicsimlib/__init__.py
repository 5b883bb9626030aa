"""The node simulator; ../nicsim has the map of these modules."""
