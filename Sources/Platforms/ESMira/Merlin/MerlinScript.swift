// SPDX-License-Identifier: Apache-2.0

/// A script that was read and found well formed, ready to run any number of times.
///
/// Merlin as the app of ESMira 2.22 has it (`merlinInterpreter` in its `sharedCode`), with the same
/// values, orders of evaluation and oddities.
package struct MerlinScript: Sendable {
    let code: MerlinAssembler
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

    /// Plays it once. Pure: the same arguments give the same run. `seed` is for
    /// `random` and `shuffle`.
    package func run(
        in host: any MerlinHost, globals: MerlinValue = .object([]), seed: UInt64 = 1,
        limits: MerlinLimits = .standard
    ) -> MerlinRun {
        var machine = MerlinMachine(code, host, seed: seed, limits: limits)
        return machine.run(globals)
    }
}

/// What a script may use, so that one that never ends, or fills the memory, ends with
/// an error instead.
package struct MerlinLimits: Sendable {
    /// Operations; work on lists and texts counts by their lengths.
    package var steps: Int
    /// Bytes of texts, lists and objects made in the whole run, whether they are still used or not.
    package var memory: Int
    /// Calls of functions within each other.
    package var calls: Int

    package init(steps: Int, memory: Int, calls: Int) {
        (self.steps, self.memory, self.calls) = (steps, memory, calls)
    }

    /// Far above what any study needs, and some tenths of a second at most.
    package static let standard = MerlinLimits(steps: 2_000_000, memory: 16 << 20, calls: 500)

    /// How deep a script's parentheses and blocks may lie within each other.
    static let nesting = 100
    /// How deep lists and objects may be nested: `globals` are kept as JSON, read with at most 64 levels.
    static let values = 60
}

/// What came of a run of a script; the caller carries out the effects and keeps `globals`.
package struct MerlinRun: Sendable {
    /// The value of `return`, or of the last expression, as truth and as text; nil when
    /// the script failed.
    package let result: (isTrue: Bool, text: String)?
    /// The object `globals` as it is now, to be kept with the study. After a failure too: what was
    /// set before it stays.
    package let globals: MerlinValue
    /// In the order of the calls. After a failure, those before it.
    package let effects: [MerlinEffect]
    /// Why the script failed; nil = it ended normally.
    package let problem: MerlinProblem?
}

/// What a script wants done.
package enum MerlinEffect: Sendable {
    /// The value of a virtual input.
    case virtualItem(name: String, value: String)
    /// The time of a questionnaire's last notification is now; where `isShown`, the participant is
    /// asked to fill it out, as by an invitation.
    case questionnaire(internalID: Int, message: String, timeoutMinutes: Int, isShown: Bool)
    case notification(String)
    case message(String)
    /// A line for the study's researchers, uploaded as the errors are.
    case log(String)
}

/// A value that outlives a script: a tree.
package indirect enum MerlinValue: Sendable {
    case none
    case number(Double)
    case text(String)
    case list([MerlinValue])
    /// Its fields, by the names that the script gives them.
    case object([(name: String, value: MerlinValue)])
}

/// What a script sees of the world. Asked during a run; must answer at once.
package protocol MerlinHost {
    /// The answer to an item, "" where there is none yet, nil where there is no such item. Of
    /// several of this name the last page's counts.
    func answer(_ item: String) -> String?
    /// What is sent beside an item's answer as `item~key`; nil where there is nothing of this key.
    func addition(_ item: String, _ key: String) -> String?
    func fact(_ fact: MerlinFact) -> MerlinValue
    func hasVirtualItem(_ name: String) -> Bool
    /// Whether a questionnaire of the study could be filled out now if it had just been notified;
    /// nil where there is none of this number.
    func isFillable(internalID: Int) -> Bool?
    /// Milliseconds since 1970.
    var now: Int64 { get }
    /// The last local midnight, in milliseconds since 1970.
    var midnight: Int64 { get }
    /// Calendar days since the participant joined.
    var day: Int { get }
    /// The language of the device, as `de`.
    var language: String { get }
}

/// What `getQuestionnaireVar` knows beside the items, by the names that scripts use. An item of the
/// same name cannot be read.
package enum MerlinFact: String, Sendable, CaseIterable {
    case group
    case studyID = "studyId"
    case studyVersion
    case studyLanguage = "studyLang"
    case questionnaireName, appType, appVersion
    case timeZone = "timezone"
    case timeZoneOffset = "timezoneOffset"
}
