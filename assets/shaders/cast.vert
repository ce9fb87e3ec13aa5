// Bodies without colours: into the sun's map, the height map, the mask of the selected body.
layout(location = 0) in vec3 row_x;
layout(location = 1) in vec3 row_y;
layout(location = 2) in vec3 row_z;
layout(location = 8) in vec4 place;
layout(location = 9) in vec4 turn;
layout(location = 10) in vec4 size;

uniform int target;                      // 0: mask, 1: sun's map, 2: height map

void main() {
    vec3 dims = size.xyz;
    vec3 world = place.xyz + rotate(turn, vec3(dot(row_x, dims), dot(row_y, dims), dot(row_z, dims)));
    if (target == 1) gl_Position = vec4((sun_matrix * vec4(world, 1.0)).xyz * 2.0 - 1.0, 1.0);
    else if (target == 2) gl_Position = vec4((floor_matrix * vec4(world, 1.0)).xyz * 2.0 - 1.0, 1.0);
    else gl_Position = view_projection * vec4(world, 1.0);
}
