// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads when the questions of one module are shown, for `SchemaQuestionReader`.
struct SchemaBranchReader {
    private let entries: [SchemaQuestionReader.Entry]
    /// Indices in `entries`, in order, by the id as rules name it.
    private var indices: [JSONText: [Int]] = [:]
    /// The own rule of each entry where what hides a question hides those that depend on it, as in momenTUM's app since
    /// 2023 (`MomentumBranch`); else nil.
    private var links: [MomentumBranch.Link?]?

    /// `entries` are all questions of the module.
    init(_ entries: [SchemaQuestionReader.Entry], hidesDependents: Bool) {
        self.entries = entries
        for (index, entry) in entries.enumerated() {
            if let identity = entry.identity { indices[identity, default: []].append(index) }
        }
        guard hidesDependents else { return }
        // What is wrong with a rule is noted when its question is read.
        var others = Findings()
        links = entries.map { link($0.place, &others) }
    }

    /// The question's branching rule; nil where it is always shown.
    ///
    /// After each answer the app goes through the questions whose `hide_id` is the id of the answered one
    /// (`toggleDynamicQuestions`). So a rule that names no question of the module, or has nothing to
    /// compare, is never looked at, and the question stays shown. `count` adds up the links of the whole study; past
    /// `mostLinks` the result must not be used.
    func branch(_ place: JSONPlace, _ count: inout Int, _ findings: inout Findings) -> (any Condition)? {
        guard let idPlace = place.member("hide_id"), let identity = idPlace.identity, identity != .string("") else {
            return nil
        }
        let named = indices[identity, default: []].map { entries[$0] }
        // momenTUM writes "none".
        guard !named.isEmpty || identity != .string("none") else { return nil }
        if named.isEmpty {
            findings.warn(
                "always shown, as in the app: \(idPlace.node.summary) is not the id of a question in this module",
                at: idPlace)
            return nil
        }
        if let links { return momentumBranch(link(place, &findings), links, &count) }
        let drivers = named.compactMap { driver(place, $0, &findings) }
        return drivers.isEmpty ? nil : SchemaBranch(drivers)
    }

    /// Bounds time and memory: in a chain each question has the rules of all those before it, 499,500 in one of 1,000.
    static let mostLinks = 500_000

    /// The question's rule, then the rule of the question that it depends on, and so on.
    private func momentumBranch(
        _ first: MomentumBranch.Link?, _ links: [MomentumBranch.Link?], _ count: inout Int
    ) -> MomentumBranch {
        var chain: [MomentumBranch.Link] = []
        var seen: Set<Int> = []
        var next = first
        while let link = next, seen.insert(link.index).inserted {
            count += 1
            guard count <= Self.mostLinks else { break }
            chain.append(link)
            next = links[link.index]
        }
        return MomentumBranch(links: chain)
    }

    /// The question's own rule in momenTUM's app; nil where it names no question that can be asked.
    private func link(_ place: JSONPlace, _ findings: inout Findings) -> MomentumBranch.Link? {
        guard let identity = place.member("hide_id")?.identity, identity != .string(""),
            let index = indices[identity]?.last, let format = entries[index].format
        else { return nil }
        return MomentumBranch.Link(
            key: entries[index].key, format: format, index: index, rule: equalityRule(place, format, &findings))
    }

    /// How the answer to the question `entry` shows or hides the one at `place`; nil where it does neither.
    private func driver(
        _ place: JSONPlace, _ entry: SchemaQuestionReader.Entry, _ findings: inout Findings
    ) -> SchemaBranch.Driver? {
        let rule: SchemaBranch.Rule?
        switch entry.format {
        case .slider: rule = sliderRule(place, &findings)
        case .choice, .yesNo, .text, .number: rule = equalityRule(place, entry.format, &findings)
        case nil: return nil
        default:
            if let idPlace = place.member("hide_id") {
                findings.assume(
                    "always shown: questions of the type of \(entry.place.path) hide nothing, as in the app",
                    at: idPlace)
            }
            return nil
        }
        guard let rule, let format = entry.format else { return nil }
        return SchemaBranch.Driver(key: entry.key, format: format, rule: rule)
    }

    private func equalityRule(
        _ place: JSONPlace, _ format: AnswerFormat?, _ findings: inout Findings
    ) -> SchemaBranch.Rule? {
        guard let hideIf = place.member("hide_if") else {
            findings.assume("always shown: `hide_if` is missing, as in the app", for: "hide_if", in: place)
            return nil
        }
        guard let hides = hideIf.boolean else {
            findings.warn(
                "always shown, as in the app, which compares it with true and false only", at: hideIf)
            return nil
        }
        if case .choice(let choice) = format, choice.isMultiple {
            findings.assume(
                choice.isModal
                    ? "several options of a modal list never equal `hide_value`, as in the app"
                    : "compared with all ticked options in order, each followed by a semicolon (\"A;C;\"), also after ticking; the app looks only once, at opening",
                at: place.member("hide_value") ?? place)
        }
        let value = place.member("hide_value")
        if let value, value.identity == nil {
            findings.warn("no answer ever equals a list or an object, as in the app", at: value)
        }
        if case .slider = format, let value, value.text != nil {
            findings.warn(
                "a slider's number never equals a text, as in momenTUM's app, which knows no \">\" and \"<\"", at: value
            )
        }
        return .equal(value?.identity, hides: hides)
    }

    private func sliderRule(_ place: JSONPlace, _ findings: inout Findings) -> SchemaBranch.Rule? {
        let text = place.member("hide_value")?.text ?? ""
        guard let sign = text.first, let limit = leadingInteger(text.dropFirst()) else {
            findings.warn(
                "always shown: after the first character, which is \">\" or \"<\", a slider's rule has a whole number",
                for: "hide_value", in: place)
            return nil
        }
        if sign != ">", sign != "<" {
            findings.warn(
                "'\(sign)' is read as \"<\", as in the app, which knows \">\" and everything else",
                at: place.member("hide_value") ?? place)
        }
        return sign == ">" ? .atLeast(limit) : .atMost(limit)
    }

    /// The whole number a text begins with, after spaces.
    private func leadingInteger(_ text: Substring) -> Int? {
        var rest = text.drop(while: \.isWhitespace)
        let isNegative = rest.first == "-"
        if isNegative || rest.first == "+" { rest = rest.dropFirst() }
        guard let value = Int(rest.prefix { $0.isASCII && $0.isNumber }) else { return nil }
        return isNegative ? -value : value
    }
}
