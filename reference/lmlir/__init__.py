"""Learning Local Metrics and Influential Regions, the reference implementation."""

__version__ = "1.1.0"
