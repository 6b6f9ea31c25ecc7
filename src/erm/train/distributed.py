"""Several processes, one model: each has its own rows, gradients are averaged by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor, nn

from erm.model.device import pick_device


@dataclass(frozen=True)
class Group:
    """This process's place among those that `torchrun` started; alone, it is 0 of 1."""

    rank: int = 0
    world: int = 1
    local_rank: int = 0

    @property
    def leads(self) -> bool:
        """Whether this process writes what all of them share."""
        return self.rank == 0

    def barrier(self) -> None:
        if self.world > 1:
            dist.barrier()

    def sum(self, values: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.world > 1:
            dist.all_reduce(values)
        return values

    def share_weights(self, model: nn.Module) -> None:
        """Everyone starts from the first process's weights."""
        if self.world > 1:
            for tensor in model.state_dict().values():
                dist.broadcast(tensor, 0)

    def average_gradients(self, model: nn.Module, flag: bool = False) -> bool:
        """Mean gradients in one message, and whether any process raised its flag.

        Models here are small: one flat message beats buckets, and it leaves compiled code alone.
        """
        if self.world == 1:
            return flag
        grads = [param.grad for param in model.parameters() if param.grad is not None]
        raised = grads[0].new_tensor([float(flag)])
        flat = torch.cat([*(grad.reshape(-1) for grad in grads), raised])
        dist.all_reduce(flat)
        parts = flat[:-1].div_(self.world).split([grad.numel() for grad in grads])
        for part, grad in zip(parts, grads, strict=True):
            grad.copy_(part.view_as(grad))
        return bool(flat[-1] > 0)


@contextmanager
def processes(device: str) -> Iterator[tuple[Group, torch.device]]:
    """Join the group that `torchrun` announces in the environment, and name this one's device."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    group = Group(int(os.environ.get("RANK", "0")), world, int(os.environ.get("LOCAL_RANK", "0")))
    place = pick_device(device, group.local_rank)
    if world > 1:
        dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield group, place
        group.barrier()  # no process leaves before all have sent
    finally:
        if world > 1:
            dist.destroy_process_group()
