"""Contact laws: Coulomb's cone, target velocities, materials and their mixing."""
