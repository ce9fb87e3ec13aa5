"""Robots and meshes from others' files: readers, the model that they give, writers. No window.

    xml_tree     XML as elements with lines; refuses what could harm
    model        links, joints, geometries; builds a world from them
    meshes       STL and OBJ files as convex hulls
    mesh_files   OBJ, STL and glTF files as scenes, by mesh_worker, a process of its own
    urdf, mjcf, sdf    a file -> model.Robot
    robot_file   the robot as a scene; what `stiction check` says of it
    world_tree   a world as a tree of bodies
    urdf_export, mjcf_export    a world -> a file
"""
