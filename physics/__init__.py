"""Rigid bodies with dry friction: worlds, shapes, joints, solvers. Knows no window and no file format.

    world = World()
    world.add_body(Plane(), kind="static")
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), vel=(1.0, 0.0, 0.0), friction=0.3)
    for _ in range(240):
        report = step(world, 1.0 / 240.0)

An index of the public names; each docstring has the shapes, units, frames and errors. Units and signs: docs/conventions.md.
Bodies and joints are named by handle (world/handles.py: box.pos, hinge.angle), index or name; triples: tuples, lists, arrays.
Wrong input raises BadInput, one sentence.

World(gravity=(0, 0, -9.81), margin=0.02)

    tables      bodies shapes joints contacts (record arrays, core/records.py), awake_contacts, events, broken
    names       body(name) joint(name) joint_kind(j), body_names joint_names (lists; "" for a free slot), joint_kinds shape_kinds
    add         add_body(shape, kind=, pos=, quat=, vel=, omega=, mass=, density=, inertia=, friction=, restitution=, material=,
                category=, mask=, group=, sensor=, name=)
                add_joint(kind, a, b, anchor=, anchor_b=, axis=, axis_b=, across=, max_friction=, friction=, limits=,
                restitution=, motor=, break_force=, break_torque=, collide=, name=, **param)
    remove      remove_body(i, with_joints=False) remove_joint(j)
    own data    body.data joint.data: dictionaries of a program (body_data joint_data, by index)
    bodies      set_pose set_velocity set_mass set_kind set_shape shape_of rename_body copy_body put_body
    joints      set_joint_friction set_joint_limits set_joint_motor set_joint_strength set_joint_param rename_joint copy_joint
                put_joint joint_coordinates(j) -> (q, qd) set_joint_coordinates(j, q=, qd=): also hinge.q, hinge.qd, hinge.angle
                set_joint_friction_polygon(j, corners): under the exact solver and joint space
    surfaces    materials set_friction set_restitution set_material change_material set_pair set_filter set_sensor
    forces      gravity set_gravity apply_force apply_torque (for the next step), drivers (functions of the world, called at the
                start of each step, and again within a long one: what they set acts for driver_dt [s] at most; before each substep
                where their number is set: solver.set(substeps=8)), apply_joint_torque(j, torque, axis="") (a torque motor)
    contacts    contact_callbacks (functions of world and CONTACT records, called before these are solved: they change friction
                and others, and may return which of them act; world/contact_callbacks.py)
    control     inputs (numbers that drivers read, by name) set_input(name, value)
    solver      solver use_solver(name, **options), solver.set(**options)
    sleeping    sleeping (options: enabled, delay, ...; off by default) wake(body=None)
    analysis    joint_space() -> JointSpace: names q qd H C g factor constraints, jacobian(body, point) inverse_dynamics(qdd)
                forward_dynamics(tau) solve(x)
    state       snapshot() restore(snapshot) refresh_after_edit() time [s] steps last_dt [s] margin [m] velocity_lag [s]
                revision (grows when something is added or removed)
    results     report (of the last step) energy_totals (sums of all steps) audit (the auditor and its options) watch (of events)
                records_energy warnings (sentences, each once: add(sentence), pop_new())
    for steps   layout invalidate_layout() mix_materials(contacts) step_control

step(world, dt) -> Report
step_many(world, steps, dt) -> Report       as many calls of step, bit for bit; in small worlds many at once in compiled code
step_worlds(worlds, steps, dt, threads=0) -> [Report]       the same for many worlds, over all cores

    Report      solver iterations iteration_unit end change residual contacts rows penetration joint_error times budget energy
                ledger expected_loss solved substeps impacts contacts_at_end asleep position_iterations
                audit (Audit: ok worst findings)
    end         "converged", "iteration limit", "slow", "budget", "fixed"; of the exact solver also "swept", "softened",
                "gave way"
    raises      BadInput (Unsupported: of the chosen solver), Diverged (with the body); the world is then as before the step
    Snapshot    what World.snapshot returns
    Event       SENSOR_BEGIN SENSOR_END TOUCH_BEGIN TOUCH_END: field `what` of World.events

Shapes: frames in the centre of mass, axes along z

    Sphere(radius) Box(half) Capsule(radius, half_length) Cylinder(radius, half_length) Cone(radius, height) Ellipsoid(half)
    Hull(points, rounding=0.0)                                      Hull.centre: centre of mass in the frame of the points
    Plane() TriangleMesh(vertices, triangles, solid=False) HeightField(heights, spacing)    static and kinematic bodies only
    Compound((shape, pos, quat), ...)                               several on one body; overlapping parts count twice
    each has kind dims volume() inertia(mass); some check(what) geometry() thickness hull note()

Surfaces and joints

    Material(friction=0.5, kinetic_friction=None, restitution=0, tangential_restitution=0, rolling=0, torsional=0, anisotropy=1,
             axis=(1, 0, 0), surface_velocity=(0, 0, 0), adhesion=0, mixing={}, name=""): kinetic_ratio
             without_coefficients()
    describe_pair(world, a, b) -> str       what two bodies have between them, and by which rule
    Friction(static=0, kinetic=-1, stribeck=0, viscous=0, load=0, radius=0.01)          a joint's law; kinetic -1: as static
    Motor(mode="velocity" | "position" | "spring", target=0, force=1e9, speed=1, stiffness=0, damping=0)
    kinds of joints: "spherical" "revolute" "prismatic" "cylindrical" "planar" "universal" "fixed" "rod" "rope" "spring"
    "torsion_spring" "gear" "rack" "screw" "six_dof" "drag"

Options and plug-ins

    option(default, unit=, lo=, hi=, choices=, log=, help=)     a dataclass field that describes itself
    fields(options) set_option(options, name, value)            list and set such fields, checked
    discover(package, attribute)                                what a package's modules define under that name

Modules with public names of their own

    physics.world.queries       CollisionQuery(world): ray shape_cast closest closest_to overlap, by value, from any thread ->
                                Hits; the same as functions of a world: ray shape_cast closest overlap
    physics.observe.quantities  find(world, key), all_keys(world): "body:door.omega_z" and others by name
    physics.complementarity     solve_friction(W, q, mu, dim=3, method="auto", tolerance=5e-9, facets=16) -> FrictionSolution:
                                impulses residual iterations method; methods: auto sweeps newton interior lemke
    physics.collide.convex      distance.distance(a, b, pool, simplex, polytope, limit): in kernels, closest points of two cores,
                                each from core.load (a shape) or core.load_triangle (three corners)
"""

from physics.batch import step_worlds
from physics.contact.material import Material
from physics.core import former_names
from physics.core.check import BadInput, Diverged, Unsupported
from physics.core.options import fields, option, set_option
from physics.core.plugins import discover
from physics.joints._settings import Friction, Motor
from physics.observe.report import Report
from physics.shapes.box import Box
from physics.shapes.capsule import Capsule
from physics.shapes.compound import Compound
from physics.shapes.cone import Cone
from physics.shapes.cylinder import Cylinder
from physics.shapes.ellipsoid import Ellipsoid
from physics.shapes.height_field import HeightField
from physics.shapes.hull import Hull
from physics.shapes.plane import Plane
from physics.shapes.sphere import Sphere
from physics.shapes.triangle_mesh import TriangleMesh
from physics.step import step, step_many
from physics.world.events import Event
from physics.world.materials import describe_pair
from physics.world.world import Snapshot, World

__all__ = ["BadInput", "Box", "Capsule", "Compound", "Cone", "Cylinder", "Diverged", "Ellipsoid", "Event", "Friction",
           "HeightField", "Hull", "Material", "Motor", "Plane", "Report", "Snapshot", "Sphere", "TriangleMesh", "Unsupported",
           "World", "describe_pair", "discover", "fields", "option", "set_option", "step", "step_many",
           "step_worlds"]

former_names.accept()
