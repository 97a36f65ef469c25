"""The pytest options of the oracle."""
