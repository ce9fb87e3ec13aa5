// A vertex is linear in the shape's three dims: basis @ dims.
layout(location = 0) in vec3 row_x;
layout(location = 1) in vec3 row_y;
layout(location = 2) in vec3 row_z;
layout(location = 3) in vec3 normal_in;
layout(location = 8) in vec4 place;      // position; w: flags 1 = selected, 2 = under the cursor
layout(location = 9) in vec4 turn;       // quaternion w, x, y, z
layout(location = 10) in vec4 size;      // dims; w: style 0 = smooth, 1 = flat faces with rounded edges, else stretched (below)
layout(location = 11) in vec4 tint;      // linear colour; w: 1 = moves

out vec3 world, local, normal_world, normal_local;
flat out vec4 colour_in, size_in, turn_in;
flat out float flags;

void main() {
    vec3 dims = size.xyz;
    local = vec3(dot(row_x, dims), dot(row_y, dims), dot(row_z, dims));
    world = place.xyz + rotate(turn, local);
    normal_local = normal_in;
    vec3 normal = normal_in;
    if (size.w > 1.5) {                  // 2 + i + 3 j + 9 k: a shape of size 1 stretched by dims i, j, k along its axes
        int code = int(size.w + 0.5) - 2;
        normal /= vec3(dims[code % 3], dims[code / 3 % 3], dims[code / 9]);
    }
    normal_world = rotate(turn, normal);
    colour_in = tint;
    size_in = size;
    turn_in = turn;
    flags = place.w;
    gl_Position = view_projection * vec4(world, 1.0);
}
