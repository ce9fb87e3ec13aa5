"""The leaf of physics, which imports nothing else of it: records, decorators of kernels, vectors, quaternions, frames; checks of
what is given, options, plug-ins, warnings, former names."""
