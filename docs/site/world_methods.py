"""For griffe, which reads the docstrings for the site: `World` lists its methods by topic, `add_body = body_functions.add_body`.

Without this the API page would not show them, since these are attributes in the source.
"""

import griffe


class WorldMethods(griffe.Extension):
    """Shows as a method what is a function of another file of `physics.world`, without its first argument."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: object) -> None:
        if pkg.name != "physics":
            return
        world = pkg["world.world.World"]
        for name, member in list(world.members.items()):
            if member.is_attribute and str(member.value).endswith(f"_functions.{name}"):
                function = pkg[member.value.canonical_path.removeprefix("physics.")]
                method = griffe.Function(name, parameters=griffe.Parameters(*list(function.parameters)[1:]),
                                         returns=function.returns, lineno=member.lineno, endlineno=member.endlineno)
                text = function.docstring
                method.docstring = griffe.Docstring(text.value, parent=method, parser=text.parser,
                                                    parser_options=text.parser_options)
                world.set_member(name, method)
