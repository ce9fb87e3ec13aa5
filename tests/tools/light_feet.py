"""A heavy trunk on light feet: contacts of a mechanism that sweeps over bodies solve slowly."""

from physics import Box, Plane, World

PUSH, HEIGHT, REACH = 20.0, 0.3, 0.2


def on_light_feet(light: float, friction: float) -> tuple[World, int, list[int]]:
    """A trunk of 10 kg on two legs with feet of mass `light` each [kg], hinged above and below; its hips give way by 0.01 rad."""
    world, feet = World(), []
    world.add_body(Plane(), kind="static", friction=0.4)
    trunk = world.add_body(Box((0.25, 0.05, 0.1)), pos=(0.0, 0.0, HEIGHT), mass=10.0)
    for x in (-REACH, REACH):
        foot = world.add_body(Box((0.05, 0.05, 0.005)), pos=(x, 0.0, 0.005), mass=light, friction=0.4)
        leg = world.add_body(Box((0.005, 0.005, 0.0949)), pos=(x, 0.0, 0.105), mass=light)
        world.add_joint("revolute", foot, leg, anchor=(x, 0.0, 0.01), axis=(0.0, 1.0, 0.0), max_friction=friction)
        world.add_joint("revolute", leg, trunk, anchor=(x, 0.0, 0.2), axis=(0.0, 1.0, 0.0), limits=(-0.01, 0.01),
                        max_friction=friction)
        feet.append(foot)
    return world, trunk, feet
