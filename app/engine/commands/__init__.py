"""The commands of a simulation by topic: functions that run between two steps, `session.post(commands.set_dt, 0.01)`.

Commands of the scene and the clock as a whole are methods of `Simulation`: load, reset, pause, run, toggle_pause, single_step,
set_speed. To add a command, write a function with `@command`, or `@undoable` if it changes the world, in its topic's file and
export its name here.
"""

from app.engine.command import COMMANDS
from app.engine.commands.bodies import (
    assemble,
    batch,
    duplicate,
    remove_body,
    rename_body,
    resize,
    set_filter,
    set_kind,
    set_mass,
    set_pose,
    set_sensor,
    set_velocity,
    spawn,
    stretch,
    throw,
)
from app.engine.commands.breakpoints import add_breakpoint, remove_breakpoint, run_back_to_hit, run_to_hit, set_breakpoint
from app.engine.commands.joints import (
    join,
    remove_joint,
    rename_joint,
    set_joint_anchor,
    set_joint_axis,
    set_joint_friction,
    set_joint_law,
    set_joint_limits,
    set_joint_motor,
    set_joint_param,
    set_joint_polygon,
    set_joint_strength,
)
from app.engine.commands.materials import (
    change_material,
    restore_materials,
    set_body_pair,
    set_friction,
    set_material,
    set_pair,
    set_restitution,
    set_surface,
    use_material,
)
from app.engine.commands.observation import (
    add_observer,
    export_recent,
    export_state,
    follow,
    record_energy,
    remove_observer,
    replay_last_steps,
    unfollow,
)
from app.engine.commands.past import (
    go_to_step,
    go_to_time,
    play_back,
    redo,
    redo_edit,
    replay,
    set_gesture,
    set_loop,
    set_time_share,
    step_back,
    undo,
    undo_edit,
)
from app.engine.commands.recordings import open_recording, recover, resume_recording, save_recording, start_recording
from app.engine.commands.scene import (
    bookmark_state,
    rebuild_changed_scene,
    return_to_state,
    set_input,
    set_live_parameter,
    set_parameter,
)
from app.engine.commands.scene_files import copy_link, export_python, save_scene_file, scene_file_saved, set_start
from app.engine.commands.solver import set_audit, set_dt, set_gravity, set_option, set_sleeping, use_solver
from app.engine.mouse_spring import drag_begin, drag_end, drag_move, set_drag_stiffness

__all__ = ["COMMANDS", "add_breakpoint", "add_observer", "assemble", "batch", "bookmark_state", "change_material", "copy_link",
           "drag_begin", "drag_end", "drag_move", "duplicate", "export_python", "export_recent", "export_state", "follow",
           "go_to_step", "go_to_time", "join", "open_recording", "play_back", "rebuild_changed_scene", "record_energy",
           "recover", "redo", "redo_edit", "remove_body", "remove_breakpoint", "remove_joint", "remove_observer",
           "rename_body", "rename_joint", "replay", "replay_last_steps", "resize", "restore_materials", "resume_recording",
           "return_to_state", "run_back_to_hit", "run_to_hit", "save_recording", "save_scene_file", "scene_file_saved",
           "set_audit", "set_body_pair", "set_breakpoint", "set_drag_stiffness", "set_dt", "set_filter", "set_friction",
           "set_gesture", "set_gravity", "set_input", "set_joint_anchor", "set_joint_axis", "set_joint_friction",
           "set_joint_law", "set_joint_limits", "set_joint_motor", "set_joint_param", "set_joint_polygon",
           "set_joint_strength", "set_kind", "set_live_parameter", "set_loop", "set_mass", "set_material", "set_option",
           "set_pair", "set_parameter", "set_pose", "set_restitution", "set_sensor", "set_sleeping",
           "set_start", "set_surface", "set_time_share", "set_velocity", "spawn",
           "start_recording", "step_back", "stretch", "throw", "undo", "undo_edit", "unfollow", "use_material",
           "use_solver"]
