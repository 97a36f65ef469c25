"""The studies behind the book: each one measures, draws or searches, and writes a file that the
book or the package reads.

    python -m book.studies --list
    python -m book.studies NAME [--out FILE] [--data DIR] [options]

run them from the top of a checkout. The pages import the same modules as `studies`, so imports in
here are relative.
"""
