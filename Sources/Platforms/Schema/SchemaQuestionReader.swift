// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads the questions of one module, for `SchemaModuleReader`: all of them first, since the rule for showing one may
/// name another, then `step` for each.
struct SchemaQuestionReader {
    /// A question before the rule for showing it is read.
    struct Entry {
        let place: JSONPlace
        /// Unique in the module.
        let key: String
        let wireKey: String
        /// The id as the app compares it, type included; nil where no rule could name it.
        let identity: JSONText?
        /// How it is answered; nil where it cannot be asked, which has been noted.
        let format: AnswerFormat?
    }

    private let isMomentum: Bool
    /// By the path of a question.
    private var entries: [String: Entry] = [:]
    private var branches = SchemaBranchReader([], hidesDependents: false)
    /// The path of the first question that is sent under a name.
    private var sent: [String: String] = [:]

    /// All questions of a module, of all its sections. momenTUM's modules have `params` since its app has
    /// the branching of today (momenTUM-app 0a079cc, 2023-06); before, it was schema's.
    init(
        _ questions: [JSONPlace], of module: JSONPlace, isMomentum: Bool, _ formats: inout SchemaFormatReader,
        _ findings: inout Findings
    ) {
        self.isMomentum = isMomentum
        var unique = UniqueKeys()
        var all: [Entry] = []
        for place in questions {
            let (wireKey, identity) = name(of: place, &findings)
            let key = unique.key(for: wireKey.isEmpty ? "question" : wireKey)
            if sent[wireKey] == nil { sent[wireKey] = place.path }
            let entry = Entry(
                place: place, key: key, wireKey: wireKey, identity: identity,
                format: formats.format(of: place, &findings))
            all.append(entry)
            entries[place.path] = entry
        }
        branches = SchemaBranchReader(all, hidesDependents: module.member("params") != nil)
    }

    /// The id as results carry it, a number spelled out as the app shows it, and as rules name it.
    private func name(
        of place: JSONPlace, _ findings: inout Findings
    ) -> (wireKey: String, identity: JSONText?) {
        guard let id = place.member("id") else {
            findings.warn(
                "without an id its answer is sent as \"undefined\", as in the app", for: "id", in: place)
            return ("undefined", nil)
        }
        guard let text = findings.shown(id), let identity = id.identity else { return ("", nil) }
        if text.isEmpty { findings.warn("its answer is sent under an empty name", at: id) }
        if let other = sent[text] {
            findings.warn(
                "\"\(text)\" is also the id of \(other); as in the app only the later one's answer is sent",
                at: id)
        }
        return (text, text.isEmpty ? nil : identity)
    }

    /// One question; nil when it cannot be asked, which has been noted. `linkCount` as for
    /// `SchemaBranchReader.branch`.
    func step(_ place: JSONPlace, _ linkCount: inout Int, _ findings: inout Findings) -> Step? {
        guard let entry = entries[place.path], let format = entry.format else { return nil }
        let group = findings.shown("rand_group", in: place)
        // momenTUM's designer writes an empty one everywhere, which its app takes for none (e14a806,
        // `survey.page.ts`: `if (question.rand_group)`).
        if group.isEmpty, !isMomentum, let groupPlace = place.member("rand_group") {
            findings.assume("an empty name means no group; the app would make one of it", at: groupPlace)
        }
        let text = findings.plain("text", in: place)
        if text.isEmpty {
            findings.assume(
                "the question has no text; only its card number identifies it", for: "text", in: place)
        }
        var step = Step(
            key: entry.key, text: text, format: format, isRequired: isRequired(place, format, &findings),
            visibleWhen: branches.branch(place, &linkCount, &findings),
            drawGroup: group.isEmpty ? nil : group, path: place.path)
        step.wireKey = entry.wireKey
        return step
    }

    private func isRequired(_ place: JSONPlace, _ format: AnswerFormat, _ findings: inout Findings) -> Bool {
        guard let required = place.member("required") else { return false }
        if required.boolean == nil {
            findings.assume("not required: only the value true makes a question required", at: required)
        }
        // A photo has a finding of its own (`SchemaFormatReader`).
        if required.isTrue, !format.isQuestion, place.member("type")?.text != "photo" {
            findings.assume("there is nothing to answer here, so it is not required", at: required)
        }
        if case .choice(let choice) = format, isMomentum, choice.isMultiple, required.isTrue {
            findings.assume("not required: in momenTUM's app a list without a tick is an answer", at: required)
            return false
        }
        return required.isTrue && format.isQuestion
    }
}
