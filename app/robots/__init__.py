"""Robots from others' files: readers of URDF and MJCF, the model that both give, and the writer of MJCF. No window.

    xml_tree     XML as elements with lines; refuses what could harm
    model        links, joints, geometries; builds a world from them
    meshes       STL and OBJ files as convex hulls
    urdf, mjcf   a file -> model.Robot
    robot_file   the robot as a scene; what `stiction check` says of it
    mjcf_export  a world -> MJCF
"""
