// SPDX-License-Identifier: Apache-2.0

/// A script of a questionnaire that was read and found well formed, ready to run any number of times;
/// `ESMiraScriptHost` runs it.
///
/// Its language is Merlin as the app of ESMira 2.22 has it (`merlinInterpreter` in its `sharedCode`), with the same
/// values, orders of evaluation and oddities.
package struct MerlinScript: Sendable {
    let code: MerlinCode
    /// The script assigns to a field or element of `globals`, or of a list or an object in it.
    let setsGlobals: Bool

    /// Reads a script; throws the first problem with its place.
    package init(_ source: String) throws(MerlinProblem) {
        var lexer = MerlinLexer(source)
        var compiler = MerlinCompiler(try lexer.tokens())
        try compiler.script()
        code = compiler.code
        setsGlobals = compiler.setsGlobals
    }

    /// Runs it once. Pure: the same arguments give the same run. `seed` is for `random` and `shuffle`.
    package func run(
        in host: any MerlinHost, globals: MerlinValue = .object([]), seed: UInt64 = 1,
        limits: MerlinLimits = .standard
    ) -> MerlinRun {
        var machine = MerlinMachine(code, host, seed: seed, limits: limits)
        return machine.run(globals)
    }
}
