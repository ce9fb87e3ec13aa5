"""`python -m tests.views`."""

from tests.views import main

main()
