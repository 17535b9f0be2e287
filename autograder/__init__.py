"""Grade assignments on sequence models. The sandboxed worker imports this package, so it stays empty."""

__version__ = "0.1.0"
