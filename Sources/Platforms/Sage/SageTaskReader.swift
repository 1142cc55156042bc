// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads one task: its steps flattened into one row, with the rules by which the navigator
/// goes through them.
///
/// Keys are paths: `section/step`, `question/field`. A step that is not shown follows its own rules
/// on, as in SageResearch's navigator.
struct SageTaskReader {
    /// More steps, or nested sections, are no task.
    private static let maximumSteps = 2_000
    private static let maximumDepth = 12

    let root: JSONPlace
    /// The task's key within the study.
    private let key: String
    private let files: [String: JSONPlace]
    var findings: Findings
    var rows: [SageRow] = []
    var nodes: [SageNode] = []
    var recorders: [TaskRecorder] = []
    /// What each of them writes.
    var actions: [String: SageAction] = [:]
    var identifiers: Set<String> = []
    /// Rules of the questions so far that put a participant into cohorts.
    var cohorts: [SageAnswerRules] = []
    var hands: SageHands?
    private let hidesSkip: Bool
    private let isOneWay: Bool
    /// A file of v1 to v3: it says no type.
    let isOld: Bool
    /// A file of AssessmentModel: of several survey rules that hold the first leads on, and steps
    /// that measure motion record it by themselves.
    let isAssessmentModel: Bool

    /// What comes out of it.
    struct Reading {
        let steps: [Step]
        let recorders: [TaskRecorder]
        let source: SageTask
    }

    init(_ root: JSONPlace, key: String, files: [String: JSONPlace], findings: Findings) {
        self.root = root
        self.key = key
        self.files = files
        self.findings = findings
        let type = root.member("type")?.text
        isOld = root.member("type") == nil
        isAssessmentModel = type.map(SageReader.assessmentTypes.contains) ?? false
        (hidesSkip, isOneWay) = (Self.hides("skip", root), Self.hides("goBackward", root))
    }

    /// The task's title as its overview has it, where the file itself has none.
    var title: String? {
        if let title = root.member("title")?.text { return title }
        let overview = root.member("steps")?.elements?.first { $0.member("type")?.text == "overview" }
        return overview?.member("title")?.text
    }

    /// Stems of the files that are named in it as resources, however deep.
    static func resources(of place: JSONPlace) -> Set<String> {
        var found: Set<String> = []
        var left = [place.node]
        while let node = left.popLast() {
            switch node.content {
            case .array(let elements): left += elements
            case .object(let members):
                for member in members {
                    if member.key == "resourceName", case .string(let name) = member.value.content {
                        found.insert(SageDecoder.stem(name))
                    }
                    left.append(member.value)
                }
            default: break
            }
        }
        return found
    }

    mutating func read(_ identifier: String) -> Reading {
        let scope = SageScope(hidesSkip: hidesSkip, isOneWay: isOneWay)
        let isTwoHand = root.member("type")?.text == "twoHandAssessment"
        if isTwoHand { drawHands(question: "handSelection", of: "handSelection", scope, isAlways: true) }
        let first = rows.count
        container(root, scope)
        if isTwoHand { checkHands() }
        actions(root, first: first, scope)
        if rows.isEmpty, findings.problems.isEmpty { findings.expected("at least one step", at: root, found: "none") }
        let steps = SageRoute(rows, nodes, hands).steps(&findings, cohorts)
        return Reading(
            steps: steps, recorders: recorders,
            source: SageTask(
                identifier: identifier, versionString: root.member("versionString")?.shown ?? "",
                schemaIdentifier: root.member("schemaIdentifier")?.text
                    ?? root.member("schemaInfo")?.member("schemaIdentifier")?.text ?? "",
                schemaRevision: root.member("schemaInfo")?.member("schemaRevision")?.integer.map(Int64.init),
                steps: Dictionary(rows.map { ($0.step.key, $0.own) }) { first, _ in first },
                actions: actions, handOrder: hands?.order ?? [:]))
    }

    static func hides(_ button: String, _ place: JSONPlace) -> Bool {
        place.member("shouldHideActions")?.elements?.contains { $0.text == button } ?? false
    }

    // MARK: - Containers

    /// The steps of a task or section.
    private mutating func container(_ place: JSONPlace, _ scope: SageScope) {
        guard scope.sections.count < Self.maximumDepth else {
            findings.expected("at most \(Self.maximumDepth) nested sections", at: place, found: "more")
            return
        }
        var seen: Set<String> = []
        let steps = findings.objects(findings.array("steps", of: "steps", in: place), "a step")
        for step in steps {
            guard let identifier = findings.requiredText("identifier", in: step) else { continue }
            guard seen.insert(identifier).inserted else {
                findings.expected(
                    "a unique identifier in this list of steps", at: step, found: "\"\(identifier)\" again")
                continue
            }
            guard rows.count < Self.maximumSteps else {
                findings.expected("at most \(Self.maximumSteps) steps", at: step, found: "more")
                return
            }
            node(step, identifier, scope, depth: 0)
        }
    }

    /// One step, section or reference to either.
    private mutating func node(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, depth: Int) {
        let first = rows.count
        let own = scope.within(place)
        switch place.member("type")?.text {
        case "section", "assessment", "task", "motorControlTask", "twoHandAssessment", "walkAssessment", "motionTask",
            "audioRecorderTask":
            section(place, place, identifier, own)
        case "subtask":
            guard let task = place.member("task") ?? (place.member("steps") != nil ? place : nil) else {
                return missingTask(place, identifier, own)
            }
            section(place, task, identifier, own)
        case "taskInfo": missingTask(place, identifier, own)
        case "transform", "transformableAssessment": return transform(place, identifier, scope, depth: depth)
        default: step(place, identifier, own)
        }
        guard first < rows.count else { return }
        nodes.append(SageNode(identifier: identifier, sections: scope.keys, rows: first..<rows.count))
        addRules(of: place, first: first, own.sections)
    }

    private mutating func section(_ place: JSONPlace, _ content: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let first = rows.count
        container(content, scope.entering(identifier))
        actions(content, first: first, scope.entering(identifier))
        if identifier == "left" || identifier == "right", first < rows.count {
            hands?.sections[identifier] = first..<rows.count
        }
    }

    /// A task that is named and not written here: among the files, or only told.
    private mutating func missingTask(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let named = place.member("taskTransformer") ?? place.member("resourceTransformer")
        if let name = named?.member("resourceName")?.text {
            guard let task = files[SageDecoder.stem(name)] else { return missing(name, place) }
            return section(place, task, identifier, scope)
        }
        findings.unsupported(
            "the task that this step names is not part of the study: only its text is given", at: place)
        step(place, identifier, scope, as: "instruction")
    }

    private mutating func missing(_ name: String, _ place: JSONPlace) {
        findings.expected("the file of this transformer in the study's folder", at: place, found: "no \(name)")
    }

    /// The step of another file, with this step's identifier and whatever else it says.
    private mutating func transform(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, depth: Int) {
        // AssessmentModel's `TransformableNode` names the file itself.
        let transformer = place.member("resourceTransformer") ?? place
        guard transformer.isObject, transformer.member("resourceName") != nil else {
            findings.missing("resourceName", "the name of the step's file", in: place)
            return
        }
        guard let name = findings.requiredText("resourceName", in: transformer) else { return }
        guard let resource = files[SageDecoder.stem(name)] else { return missing(name, transformer) }
        guard depth < Self.maximumDepth else {
            findings.expected(
                "transformers that do not lead to themselves", at: place, found: "a cycle through \(name)")
            return
        }
        guard case .object(let given) = resource.node.content, case .object(let own) = place.node.content else {
            findings.expected("a step", at: resource)
            return
        }
        let overriding = own.filter { !["type", "resourceTransformer", "resourceName"].contains($0.key) }
        let kept = given.filter { member in !overriding.contains { $0.key == member.key } }
        let merged = JSONNode(content: .object(kept + overriding), line: resource.node.line)
        let file = resource.path.split(separator: ":").first.map(String.init) ?? name
        node(JSONPlace(root: merged, file: file), identifier, scope, depth: depth + 1)
    }

    // MARK: - Rows

    /// Appends a row. `visible` are conditions under which it is left out.
    mutating func add(
        _ place: JSONPlace, _ identifier: String, _ scope: SageScope, text: String, format: AnswerFormat,
        kind: SageStep.Kind, field: SageField? = nil, part: String? = nil, isRequired: Bool = false,
        variant: String = ""
    ) {
        let key = (scope.keys + (part.map { [$0] } ?? []) + [identifier + variant]).joined(separator: "/")
        var step = Step(
            key: key, text: text, format: format, isRequired: isRequired, path: place.path,
            wireName: place.member("type")?.text ?? "")
        step.wireKey = identifier
        step.isOneWay = scope.isOneWay
        var own = SageStep(identifier: identifier, sections: scope.keys, part: part, kind: kind)
        own.field = field
        var row = SageRow(step: step, own: own, place: place)
        // Full instructions are for those who have not done the task yet.
        if ["fullInstructionsOnly", "isFirstRunOnly"].contains(where: { place.member($0)?.isTrue ?? false }) {
            row.hides.append(Completed([self.key]))
        }
        rows.append(row)
    }

    /// Every text of a step, one after the other, as people read it.
    func text(of place: JSONPlace, hand: String? = nil) -> String {
        let parts = ["title", "subtitle", "text", "detail", "footnote", "prompt", "promptDetail"].compactMap {
            place.member($0)?.text
        }.filter { !$0.isEmpty }
        return Self.join(parts.map { Self.fill($0, hand) })
    }

    static func join(_ parts: [String]) -> String {
        parts.filter { !$0.isEmpty }.reduce("") { text, part in
            guard let last = text.last else { return part }
            return text + (last.isPunctuation ? " " : ". ") + part
        }
    }

    /// `%@` is the hand; capitals around it ask for capitals.
    static func fill(_ text: String, _ hand: String?) -> String {
        guard let hand, let first = text.firstRange(of: "%@") else { return text }
        let behind = text[first.upperBound...].drop { $0 == " " }.prefix(2)
        let isLoud = behind.count == 2 && behind.allSatisfy(\.isUppercase)
        let filled = text.replacing("%@", with: isLoud ? hand.uppercased() : hand, maxReplacements: 1)
        return fill(filled, hand)
    }
}

/// A step or section, for those who name it.
struct SageNode {
    let identifier: String
    /// Keys of the sections around it.
    let sections: [String]
    let rows: Range<Int>
}

/// The choice of a hand, and what goes by it.
struct SageHands {
    let question: String
    /// Keys of the drawn steps that say which hand comes first, by hand.
    let order: [String: String]
    /// Both hands are used where the question was not answered.
    let isAlways: Bool
    /// Rows of the sections `left` and `right`.
    var sections: [String: Range<Int>] = [:]
}
