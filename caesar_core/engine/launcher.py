"""Who starts a supervisor: a process on this machine today, something else another day."""

from __future__ import annotations

import os
import sys
from typing import Protocol

from caesar_core.engine.mend import clear_task_files
from caesar_core.identity import ProcessRef
from caesar_core.process.spawn import spawn_detached
from caesar_core.store.layout import Layout


class Launcher(Protocol):
    """Starts the supervisor of a task that has a plan, wherever that may be."""

    def launch(self, layout: Layout, task_id: str) -> ProcessRef:
        """Start it and return at once.

        Raises:
            OperationError: it could not be started.
        """
        ...


class LocalLauncher:
    """Starts supervisors as detached processes of this machine."""

    def launch(self, layout: Layout, task_id: str) -> ProcessRef:
        """Start the supervisor in a session of its own."""
        # -P: the project is a stranger's; a json.py in it must not be imported.
        argv = (sys.executable, "-P", "-m", "caesar_core.engine.run", str(layout.root), task_id)
        files = layout.task(task_id)
        clear_task_files(files)
        return spawn_detached(argv, cwd=layout.root, env=os.environ, log=files.supervisor_log)
