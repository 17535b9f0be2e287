"""Does an assignment keep what it promises."""
