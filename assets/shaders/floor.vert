// One large square per plane, under the camera.
layout(location = 0) in vec2 corner;
layout(location = 8) in vec4 place;   // a point of the plane
layout(location = 9) in vec4 turn;    // quaternion of the plane, z is its normal
layout(location = 10) in vec4 extent; // x: half size [m]; y: 1 for the floor with the height map
out vec3 world;
out vec2 plane;
flat out vec3 normal;
flat out float main_floor;
void main() {
    normal = rotate(turn, vec3(0.0, 0.0, 1.0));
    vec3 x = rotate(turn, vec3(1.0, 0.0, 0.0)), y = rotate(turn, vec3(0.0, 1.0, 0.0));
    vec3 to_eye = (grid.z > 0.5 ? focus.xyz : eye.xyz) - place.xyz;
    plane = vec2(dot(to_eye, x), dot(to_eye, y)) + corner * extent.x;
    world = place.xyz + plane.x * x + plane.y * y;
    main_floor = extent.y;
    gl_Position = view_projection * vec4(world, 1.0);
}
