"""``python -m toolgauge``: the command line."""

from toolgauge.cli import main

if __name__ == "__main__":
    main()
