"""Is a coroutine, which runs when somebody awaits it; points would show that it worked."""


async def scale(x, factor):
    return x * factor
