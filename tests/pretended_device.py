"""A pretended accelerator: tensors remember where they are said to be, the CPU computes, and mixing devices is refused.

What a GPU would refuse is refused in torch's own words: operations across devices, numbers of a CPU generator on the device,
arrays of what is not on the CPU, lengths on the device where packing wants them on the CPU. What the autograd engine calls
by itself, a backward pass of one's own, is not watched. Tensors that C++ hands out unseen, as inside `vmap`, fit anywhere.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

CPU = torch.device("cpu")
DATA, GRAD = torch.Tensor.data, torch.Tensor.grad  # type: ignore[attr-defined]
# These make tensors on the CPU unless they are told where, whatever they are given.
FACTORIES = frozenset(
    {
        torch.arange, torch.empty, torch.eye, torch.frombuffer, torch.from_numpy, torch.full, torch.linspace, torch.logspace,
        torch.ones, torch.rand, torch.randint, torch.randn, torch.randperm, torch.scalar_tensor, torch.tril_indices,
        torch.triu_indices, torch.zeros,
    }
)  # fmt: skip
COPIES = frozenset({"copy_", "load_state_dict", "__setstate__", "_has_compatible_shallow_copy_type", "is_set_to"})
# The sizes of packed rows are always on the CPU.
PACKED = frozenset({"_pack_padded_sequence", "_pad_packed_sequence", "gru", "lstm", "rnn_tanh", "rnn_relu"})
INDEXING = frozenset({"__getitem__", "__setitem__", "index", "index_put", "index_put_"})
REFUSED = "Expected all tensors to be on the same device, but found at least two devices, {0} and cpu!"
INDICES = "indices should be either on cpu or on the same device as the indexed tensor ({0})"
GENERATOR = "Expected a '{0}' device type for generator but found 'cpu'"
ARRAY = "can't convert {0} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
LENGTHS = "'lengths' argument should be a 1D CPU int64 tensor, but got 1D {0} Long tensor"


class Pretended(TorchFunctionMode):
    """While it is entered there is a device of the given type."""

    def __init__(self, kind: str = "cuda") -> None:
        super().__init__()
        self.device = torch.device(kind, 0)
        self._places: dict[int, tuple[weakref.ref[torch.Tensor], torch.device]] = {}

    def place(self, tensor: torch.Tensor) -> torch.device | None:
        """Return where a tensor is said to be; None where nobody saw it being made. Parameters begin on the CPU."""
        held = self._places.get(id(tensor))
        if held and held[0]() is tensor:
            return held[1]
        return CPU if isinstance(tensor, torch.nn.Parameter) else None

    def put(self, tree: Any, device: torch.device | None) -> Any:
        """Say where the tensors of a tree are, and return it."""
        for tensor in _tensors(tree):
            key = id(tensor)
            if device is None:
                self._places.pop(key, None)
            else:
                self._places[key] = (weakref.ref(tensor, lambda _, key=key: self._places.pop(key, None)), device)
        return tree

    def named(self, device: Any) -> torch.device:
        """Return the device that a program means by a name, a number or a device."""
        return CPU if not isinstance(device, int) and torch.device(device).type == "cpu" else self.device

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Do what was asked for on the CPU, and say where the result is; refuse what a device refuses."""
        del types
        named, words = getattr(func, "__name__", ""), dict(kwargs or {})
        if named in ("__get__", "__set__") and args and isinstance(args[0], torch.Tensor):
            return self._attribute(func, named, args)
        if named in ("to", "cuda", "cpu") and args and isinstance(args[0], torch.Tensor):
            return self._moved(named, args, words)
        if named in ("numpy", "__array__") and self.place(args[0]) == self.device:
            raise TypeError(ARRAY.format(self.device))
        asked = words.pop("device", None)
        inside = [*_tensors((args, words))]
        device = self._device_of(func, named, args, inside, asked)
        drawn = words.get("generator")
        if drawn is not None and device == self.device:
            raise RuntimeError(GENERATOR.format(self.device.type))
        value = func(*args, **words)
        if named == "_pack_padded_sequence":
            return self.put(value[0], device), self.put(value[1], CPU)
        if named == "_pad_packed_sequence":
            return self.put(value[0], self.place(args[0])), self.put(value[1], CPU)
        return value if named in COPIES or named == "backward" else self.put(value, device)

    def _attribute(self, func: Any, named: str, args: tuple[Any, ...]) -> Any:
        tensor, attribute = args[0], func.__self__
        here = self.place(tensor)
        if named == "__set__":
            func(*args)
            if attribute is DATA:
                self.put(tensor, self.place(args[1]))
            return None
        match attribute.__name__:
            case "device":
                return here or self.device
            case "is_cuda":
                return (here or self.device).type == "cuda"
            case "is_cpu":
                return here == CPU
        return self.put(func(*args), here)

    def _moved(self, named: str, args: tuple[Any, ...], words: dict[str, Any]) -> Any:
        tensor, *rest = args
        here = self.place(tensor)
        target, types = here, []
        asked = words.pop("device", None)
        for word in (*rest, *([] if asked is None else [asked])):
            if isinstance(word, torch.Tensor):
                target, types = self.place(word), [word.dtype]
            elif isinstance(word, torch.dtype):
                types = [word]
            elif not isinstance(word, bool) and word is not None:
                target = self.named(word)
        if named != "to":
            target = CPU if named == "cpu" else self.device
        words = {key: value for key, value in words.items() if key in ("dtype", "copy") and value is not None}
        value = torch.Tensor.to(tensor, *types, **words) if types or words else tensor
        if value is tensor and target != here:
            value = tensor.clone() if tensor.requires_grad else tensor.detach().clone()
        return value if value is tensor else self.put(value, target)

    def _device_of(
        self, func: Any, named: str, args: tuple[Any, ...], inside: list[torch.Tensor], asked: Any
    ) -> torch.device | None:
        """Return where the result will be. Raises what torch raises where devices are mixed."""
        if func in FACTORIES:
            return CPU if asked is None else self.named(asked)
        found = [self.place(tensor) for tensor in inside if tensor.dim() or self.place(tensor) == self.device]
        places = {place for place in found if place}
        first = self.place(inside[0]) if inside else None
        if named == "_pack_padded_sequence" and self.place(args[1]) == self.device:
            raise RuntimeError(LENGTHS.format(self.device))
        if len(places) > 1 and named not in COPIES | PACKED:
            if named not in INDEXING:
                raise RuntimeError(REFUSED.format(self.device))
            if first != self.device:
                raise RuntimeError(INDICES.format(first))
        if asked is not None:
            return self.named(asked)
        if func in (torch.tensor, torch.as_tensor, torch.asarray) and not isinstance(args[0], torch.Tensor):
            return CPU
        if named in INDEXING or (named.endswith("_") and not named.endswith("__")):
            return first
        if self.device in places:
            return self.device
        return CPU if CPU in places or not inside else first


def _tensors(tree: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
