// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// A study's arms (`conditions`): who gets a module, and which arms cannot be run. `SchemaDecoder` asks it for
/// each module.
struct SchemaArms {
    enum Arm {
        case everyone
        case named(String)
        /// The module's condition equals no arm, as the app compares them; the name is that of no arm.
        case unknown(String)

        var name: String? {
            switch self {
            case .everyone: nil
            case .named(let name), .unknown(let name): name
            }
        }

        var isUnknown: Bool { if case .unknown = self { true } else { false } }
    }

    let names: [String]
    /// The arms as the app compares them, type included; in the order of `names`.
    private let identities: [JSONText]
    /// The first index of each in `identities`.
    private let indices: [JSONText: Int]
    /// What is wrong with modules of one arm only, by the arm's name.
    private var problems: [String: [StudyFormatError.Problem]] = [:]

    /// The app cannot enrol without the array; an empty one is fine and leaves the participant
    /// without an arm.
    init(_ properties: JSONPlace?, _ findings: inout Findings) {
        if let properties, properties.member("conditions") == nil {
            findings.missing("conditions", "an array of texts, which may be empty", in: properties)
        }
        identities = properties?.member("conditions")?.elements?.compactMap(\.identity) ?? []
        indices = Dictionary(identities.enumerated().map { ($1, $0) }) { first, _ in first }
        names = Self.apart(properties.map { findings.shownTexts("conditions", in: $0) } ?? [], identities)
    }

    /// A number and a text that read the same are two arms: the later one is named after its type, too.
    private static func apart(_ shown: [String], _ identities: [JSONText]) -> [String] {
        let arms = Array(zip(shown, identities))
        let first = Dictionary(arms) { first, _ in first }
        return arms.map { name, identity in first[name] == identity ? name : ofAnotherType(name) }
    }

    private static func ofAnotherType(_ name: String) -> String { name + " (of another type)" }

    func arm(of module: JSONPlace, _ findings: inout Findings) -> Arm {
        guard let condition = module.member("condition") else {
            if names.isEmpty { return .everyone }
            findings.warn(
                "a module without a condition is never scheduled in a study that has conditions, as in the app; use \"*\"",
                for: "condition", in: module)
            return unknown("undefined")
        }
        if condition.text == "*" { return .everyone }
        guard let identity = condition.identity, let index = indices[identity],
            names.indices.contains(index)
        else {
            findings.warn(
                "\(condition.node.summary) is not one of the study's conditions; as in the app the module is never scheduled",
                at: condition)
            return unknown(condition.shown ?? "?")
        }
        return .named(names[index])
    }

    private func unknown(_ name: String) -> Arm { .unknown(names.contains(name) ? Self.ofAnotherType(name) : name) }

    /// Call it after a module was read, with the number of problems before that. Unless the module is for
    /// everyone, its problems leave `findings`: they refuse only its arm, and the other arms can be run.
    mutating func takeProblems(after count: Int, of arm: Arm, from findings: inout Findings) {
        switch arm {
        case .everyone: break
        case .named(let name): problems[name, default: []] += findings.removeProblems(after: count)
        case .unknown:
            findings.warn(
                of: findings.removeProblems(after: count), "no participant gets the module, so none is turned away")
        }
    }

    /// Call it after all modules: if no arm can be run, all problems go back, which refuses the study.
    mutating func giveBackProblemsOfAllArms(to findings: inout Findings) {
        guard !names.isEmpty, names.allSatisfy({ problems[$0] != nil }) else { return }
        for (_, found) in problems.sorted(by: { $0.key < $1.key }) { findings.giveBack(found) }
        problems = [:]
    }

    /// nil where every arm can be run.
    var rules: ArmRules? {
        guard !problems.isEmpty else { return nil }
        var rules = ArmRules()
        rules.refusals = problems.mapValues { StudyFormatError(problems: $0).remarks }
        return rules
    }
}
