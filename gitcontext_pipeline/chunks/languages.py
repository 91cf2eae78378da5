"""The languages that are split by syntax: one row each, and a new language is a new row.

A row's `query` is in tree-sitter's query language, one pattern a line. The name of a capture is the symbol kind of what
it captures (`function`, `class`, `constant`, ...), except for four: `@declaration` is a function without a body,
`@comment` and `@attribute` belong to the definition right below them, and `@wrapper` is a node around a definition that
is part of it (`export ...`, `template <...>`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gitcontext_pipeline.chunks import names

if TYPE_CHECKING:
    import tree_sitter


@dataclass(frozen=True, slots=True)
class Language:
    """A language, the wheel that carries its grammar, and what a definition looks like in its syntax tree."""

    name: str
    wheel: str
    query: str
    suffixes: tuple[str, ...]
    filenames: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    name_of: Callable[[tree_sitter.Node], str | None] = names.by_field
    docstrings: bool = False
    grammar: str = "language"


_ECMASCRIPT = """
[(function_declaration) (generator_function_declaration)] @function
(method_definition) @method
(class_declaration) @class
(variable_declarator value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator value: (class)) @class
(assignment_expression right: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement value: [(function_expression) (arrow_function) (generator_function)] @function)
(export_statement value: (class) @class)
(pair value: [(arrow_function) (function_expression) (generator_function)]) @function
(program (lexical_declaration (variable_declarator name: (identifier)) @constant))
(program (variable_declaration (variable_declarator name: (identifier)) @constant))
(export_statement (lexical_declaration (variable_declarator name: (identifier)) @constant))
[(export_statement) (lexical_declaration) (variable_declaration) (expression_statement)] @wrapper
[(comment) (html_comment)] @comment
(decorator) @attribute
"""
_TEST_CALLEES = (
    "(identifier) @_callee",
    "(member_expression object: (identifier) @_callee)",
    "(call_expression function: (member_expression object: (identifier) @_callee))",
)
_TESTS = "\n".join(
    f"((call_expression function: {callee} arguments: (arguments . [(string) (template_string)]"
    ' [(arrow_function) (function_expression)])) @test (#any-of? @_callee "describe" "it" "test" "suite" "bench"))'
    for callee in _TEST_CALLEES
)
_JAVASCRIPT = f"""{_ECMASCRIPT}
(field_definition value: [(arrow_function) (function_expression)]) @method
{_TESTS}
"""
_TYPESCRIPT = f"""{_ECMASCRIPT}
(abstract_class_declaration) @class
(interface_declaration) @interface
(type_alias_declaration) @type
(enum_declaration) @enum
[(internal_module) (module)] @module
(public_field_definition value: [(arrow_function) (function_expression)]) @method
(variable_declarator value: (as_expression [(arrow_function) (function_expression)])) @function
(variable_declarator value: (satisfies_expression [(arrow_function) (function_expression)])) @function
[(function_signature) (abstract_method_signature)] @declaration
(class_body (method_signature) @declaration)
(ambient_declaration) @wrapper
{_TESTS}
"""
_C = """
(function_definition) @function
(struct_specifier name: (_) body: (_)) @struct
(union_specifier name: (_) body: (_)) @union
(enum_specifier name: (_) body: (_)) @enum
(type_definition) @type
[(preproc_def) (preproc_function_def)] @macro
(declaration declarator: (function_declarator)) @declaration
(declaration declarator: (pointer_declarator (function_declarator))) @declaration
(translation_unit (declaration declarator: (init_declarator)) @variable)
(comment) @comment
"""
_CPP = f"""{_C}
(class_specifier name: (_) body: (_)) @class
(concept_definition) @type
(alias_declaration) @type
(namespace_definition) @namespace
(field_declaration declarator: (function_declarator)) @declaration
(template_declaration) @wrapper
"""

# `.h` is C here; `splitter.language_of` looks for signs of C++ in the file.
LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        wheel="tree_sitter_python",
        suffixes=(".py", ".pyi", ".pyw"),
        filenames=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "python3", "python2", "pypy", "pypy3", "uv"),
        docstrings=True,
        query="""
(function_definition) @function
(class_definition) @class
(module (expression_statement (assignment left: (identifier)) @constant))
(module (type_alias_statement) @type)
(decorated_definition) @wrapper
(comment) @comment
""",
    ),
    Language(
        name="typescript",
        wheel="tree_sitter_typescript",
        grammar="language_typescript",
        suffixes=(".ts", ".mts", ".cts"),
        interpreters=("deno", "ts-node", "tsx"),
        name_of=names.javascript,
        query=_TYPESCRIPT,
    ),
    Language(
        name="tsx",
        wheel="tree_sitter_typescript",
        grammar="language_tsx",
        suffixes=(".tsx",),
        name_of=names.javascript,
        query=_TYPESCRIPT,
    ),
    Language(
        name="javascript",
        wheel="tree_sitter_javascript",
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        filenames=("Jakefile",),
        interpreters=("node", "nodejs", "bun"),
        name_of=names.javascript,
        query=_JAVASCRIPT,
    ),
    Language(
        name="go",
        wheel="tree_sitter_go",
        suffixes=(".go",),
        name_of=names.go,
        query="""
(function_declaration) @function
(method_declaration) @method
(type_spec type: (struct_type)) @struct
(type_spec type: (interface_type)) @interface
[(type_spec) (type_alias)] @type
(source_file (const_declaration) @constant)
(source_file (var_declaration) @variable)
(type_declaration "type" . [(type_spec) (type_alias)]) @wrapper
(comment) @comment
""",
    ),
    Language(
        name="rust",
        wheel="tree_sitter_rust",
        suffixes=(".rs",),
        interpreters=("rust-script",),
        name_of=names.rust,
        query="""
(function_item) @function
(function_signature_item) @declaration
(struct_item) @struct
(union_item) @union
(enum_item) @enum
(trait_item) @trait
(impl_item) @impl
(mod_item body: (_)) @namespace
(macro_definition) @macro
(type_item) @type
[(const_item) (static_item)] @constant
[(line_comment) (block_comment)] @comment
(attribute_item) @attribute
""",
    ),
    Language(
        name="java",
        wheel="tree_sitter_java",
        suffixes=(".java",),
        query="""
(method_declaration body: (_)) @method
(method_declaration !body) @declaration
[(constructor_declaration) (compact_constructor_declaration)] @constructor
(class_declaration) @class
(interface_declaration) @interface
(annotation_type_declaration) @interface
(enum_declaration) @enum
(record_declaration) @class
[(line_comment) (block_comment)] @comment
""",
    ),
    Language(name="c", wheel="tree_sitter_c", suffixes=(".c", ".h"), name_of=names.c_family, query=_C),
    Language(
        name="cpp",
        wheel="tree_sitter_cpp",
        suffixes=(".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".cu", ".cuh"),
        name_of=names.c_family,
        query=_CPP,
    ),
    Language(
        name="csharp",
        wheel="tree_sitter_c_sharp",
        suffixes=(".cs", ".csx"),
        query="""
(method_declaration body: (_)) @method
(method_declaration !body) @declaration
(constructor_declaration) @constructor
(local_function_statement) @function
(property_declaration) @property
(class_declaration) @class
(struct_declaration) @struct
(record_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(delegate_declaration) @type
(namespace_declaration) @namespace
(comment) @comment
""",
    ),
    Language(
        name="ruby",
        wheel="tree_sitter_ruby",
        suffixes=(".rb", ".rake", ".gemspec", ".ru"),
        filenames=("Rakefile", "Gemfile", "Guardfile", "Vagrantfile", "Brewfile", "Podfile", "Fastfile"),
        interpreters=("ruby", "jruby"),
        query="""
[(method) (singleton_method)] @method
(class) @class
(module) @module
(singleton_class) @namespace
(program (assignment left: [(constant) (identifier)]) @constant)
(comment) @comment
""",
    ),
    Language(
        name="php",
        wheel="tree_sitter_php",
        grammar="language_php",
        suffixes=(".php", ".phtml", ".inc"),
        interpreters=("php",),
        name_of=names.php,
        query="""
(function_definition) @function
(method_declaration body: (_)) @method
(method_declaration !body) @declaration
(class_declaration) @class
(interface_declaration) @interface
(trait_declaration) @trait
(enum_declaration) @enum
(namespace_definition body: (_)) @namespace
(program (const_declaration) @constant)
(assignment_expression right: [(anonymous_function) (arrow_function)]) @function
(comment) @comment
""",
    ),
    Language(
        name="bash",
        wheel="tree_sitter_bash",
        suffixes=(".sh", ".bash", ".zsh", ".ksh", ".bats"),
        filenames=(".bashrc", ".bash_profile", ".profile", ".zshrc", ".envrc"),
        interpreters=("bash", "sh", "zsh", "dash", "ksh"),
        query="""
(function_definition) @function
(program (variable_assignment) @constant)
(comment) @comment
""",
    ),
    Language(
        name="kotlin",
        wheel="tree_sitter_kotlin",
        suffixes=(".kt", ".kts"),
        name_of=names.kotlin,
        query="""
(function_declaration (function_body)) @function
(function_declaration) @declaration
(secondary_constructor) @constructor
(class_declaration) @class
(object_declaration) @object
(companion_object) @namespace
(class_body (property_declaration) @property)
(source_file (property_declaration) @constant)
(type_alias) @type
[(line_comment) (block_comment)] @comment
""",
    ),
    Language(
        name="swift",
        wheel="tree_sitter_swift",
        suffixes=(".swift",),
        interpreters=("swift",),
        name_of=names.swift,
        query="""
(function_declaration) @function
[(init_declaration) (deinit_declaration)] @constructor
(protocol_function_declaration) @declaration
(class_declaration) @class
(protocol_declaration) @interface
(typealias_declaration) @type
(class_body (property_declaration) @property)
(source_file (property_declaration) @constant)
[(comment) (multiline_comment)] @comment
""",
    ),
)
BY_NAME: Mapping[str, Language] = {language.name: language for language in LANGUAGES}
