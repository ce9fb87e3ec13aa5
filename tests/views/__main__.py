"""`python -m tests.views`, without the settings and the progress of the user."""

import os
import tempfile

with tempfile.TemporaryDirectory() as folder:
    os.environ.update({f"STICTION_{kind}_DIR": os.path.join(folder, kind) for kind in ("CONFIG", "DATA", "STATE")})
    from tests.views import main

    main()
