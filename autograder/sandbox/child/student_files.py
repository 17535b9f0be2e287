"""A submission of several files: each is a module that the others can import, and all together are asked under one name."""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import PurePath
from typing import Any

Run = Callable[[str, types.ModuleType], None]  # the code of a file, by its label, in its module


class StudentFiles(types.ModuleType):
    """All modules of a submission as if they were one.

    A name is looked up in the file in which the assignment has it, then in the others. What is set replaces the former value
    wherever a file has it, also under another name.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        super().__init__("submission")
        vars(self).update(_homes={name: _stem(file) for name, file in homes.items()}, _modules={})

    def __getattr__(self, name: str) -> Any:
        modules: dict[str, types.ModuleType] = vars(self)["_modules"]
        home = vars(self)["_homes"].get(name)
        for module in (*(modules[stem] for stem in (home,) if stem in modules), *modules.values()):
            with suppress(AttributeError):
                return getattr(module, name)
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Any) -> None:
        modules: dict[str, types.ModuleType] = vars(self)["_modules"]
        former = getattr(self, name, None)
        if former is None:
            home = modules.get(vars(self)["_homes"].get(name), next(reversed(modules.values())))
            setattr(home, name, value)
            return
        for names in map(vars, modules.values()):
            names.update((key, value) for key, held in list(names.items()) if held is former)

    def __dir__(self) -> list[str]:
        return sorted({name for module in vars(self)["_modules"].values() for name in vars(module)})

    def load(self, labels: Iterable[str], run: Run) -> None:
        """Run every file once: the last first, as a program does, and each of the others when one imports it, or after it."""
        importer = _Importer({_stem(label): label for label in labels}, run, vars(self)["_modules"])
        sys.meta_path.insert(0, importer)
        try:
            for name in importer.labels:
                sys.modules.pop(name, None)
            for name in reversed(importer.labels):
                importlib.import_module(name)
        finally:
            sys.meta_path.remove(importer)


class _Importer:
    """Finds the files of a submission, which are in memory alone, for `import`."""

    def __init__(self, labels: Mapping[str, str], run: Run, modules: dict[str, types.ModuleType]) -> None:
        self.labels = dict(labels)
        self._run = run
        self._modules = modules

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.labels else None  # type: ignore[arg-type] # a loader by its methods

    def create_module(self, _spec: ModuleSpec) -> None:
        """Leave the module to `import`."""

    def exec_module(self, module: types.ModuleType) -> None:
        self._modules[module.__name__] = module
        self._run(self.labels[module.__name__], module)


def _stem(label: str) -> str:
    return PurePath(label).stem
