// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads one task, for `SageDecoder`: call `read` once, then take `findings`. The steps of all sections become one list
/// of rows, with the rules by which the navigator goes through them (`SageRoute`).
///
/// Keys are paths: `section/step`, `question/field`. A step that is not shown still follows its own
/// rules to the next one, as in SageResearch's navigator.
struct SageTaskReader {
    private static let maximumSteps = 2_000
    private static let maximumDepth = 12
    /// Bounds the steps and sections that are read, also those without a row: files that name each other
    /// can make any number of them.
    private static let maximumVisits = 10_000

    private let root: JSONPlace
    /// The task's key within the study.
    private let key: String
    /// The files that the task names as resources, by their stems.
    private let files: [String: JSONPlace]
    private(set) var findings: Findings
    /// All steps so far, in the order of the file.
    private var rows: [SageRow] = []
    /// Steps and sections with their rows; `rules`, `actionReader` and `SageRoute` find them by name.
    private var nodes: [SageNode] = []
    private var visits = 0
    private var rules: SageRuleReader
    private var actionReader = SageActionReader()
    /// Nil until a choice of the hand, or for a task without one.
    private var hands: SageHands?
    private let hidesSkip: Bool
    private let isOneWay: Bool
    /// A file of v1 to v3: it says no type.
    private let isOld: Bool
    /// A file of AssessmentModel: of several survey rules that hold the first leads on, and steps
    /// that measure motion record it by themselves.
    private let isAssessmentModel: Bool

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
        rules = SageRuleReader(
            isAssessment: root.member("$schema")?.text?.contains("mobile-client-json") ?? false,
            takesFirst: isAssessmentModel)
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
        var pending = [place.node]
        while let node = pending.popLast() {
            switch node.content {
            case .array(let elements): pending += elements
            case .object(let members):
                for member in members {
                    if member.key == "resourceName", case .string(let name) = member.value.content {
                        found.insert(SageDecoder.stem(name))
                    }
                    pending.append(member.value)
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
        addSteps(root, scope)
        if isTwoHand { checkHands() }
        actionReader.read(root, first: first, scope, rows, nodes, &findings)
        if rows.isEmpty, findings.problems.isEmpty { findings.expected("at least one step", at: root, found: "none") }
        let steps = SageRoute(rows: rows, nodes: nodes, hands: hands).steps(&findings)
        return Reading(
            steps: steps, recorders: actionReader.recorders,
            source: SageTask(
                identifier: identifier, versionString: root.member("versionString")?.shown ?? "",
                schemaIdentifier: root.member("schemaIdentifier")?.text
                    ?? root.member("schemaInfo")?.member("schemaIdentifier")?.text ?? "",
                schemaRevision: root.member("schemaInfo")?.member("schemaRevision")?.integer.map(Int64.init),
                isAssessmentModel: isAssessmentModel,
                steps: Dictionary(rows.map { ($0.step.key, $0.sageStep) }) { first, _ in first },
                actions: actionReader.actions, handOrder: hands?.drawnSteps ?? [:]))
    }

    static func hides(_ button: String, _ place: JSONPlace) -> Bool {
        place.member("shouldHideActions")?.elements?.contains { $0.text == button } ?? false
    }

    // MARK: - Containers

    private mutating func addSteps(_ place: JSONPlace, _ scope: SageScope) {
        guard scope.sections.count <= Self.maximumDepth else {
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
            visits += 1
            guard rows.count < Self.maximumSteps, visits <= Self.maximumVisits else {
                findings.expected("at most \(Self.maximumSteps) steps", at: step, found: "more")
                return
            }
            addNode(step, identifier, scope, depth: 0)
        }
    }

    /// One step, section or reference to either.
    private mutating func addNode(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, depth: Int) {
        let first = rows.count
        let inner = scope.within(place)
        switch place.member("type")?.text {
        case "section", "assessment", "task", "motorControlTask", "twoHandAssessment", "walkAssessment", "motionTask",
            "audioRecorderTask":
            addSection(place, identifier, inner)
        case "subtask":
            guard let task = place.member("task") ?? (place.member("steps") != nil ? place : nil) else {
                return addMissingTask(place, identifier, inner)
            }
            addSection(task, identifier, inner)
        case "taskInfo": addMissingTask(place, identifier, inner)
        case "transform", "transformableAssessment": return addTransformed(place, identifier, scope, depth: depth)
        default: addStep(place, identifier, inner)
        }
        guard first < rows.count else { return }
        nodes.append(SageNode(identifier: identifier, sections: scope.sections, rows: first..<rows.count))
        rules.add(of: place, to: &rows, first: first, inner.sections, &findings)
    }

    private mutating func addSection(_ content: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let first = rows.count
        addSteps(content, scope.entering(identifier))
        actionReader.read(content, first: first, scope.entering(identifier), rows, nodes, &findings)
        if identifier == "left" || identifier == "right", first < rows.count {
            hands?.sections[identifier] = first..<rows.count
        }
    }

    /// A task that is only named here: its file is in the study's folder, or the study does not have it.
    private mutating func addMissingTask(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let named = place.member("taskTransformer") ?? place.member("resourceTransformer")
        if let name = named?.member("resourceName")?.text {
            guard let task = files[SageDecoder.stem(name)] else { return missing(name, place) }
            return addSection(task, identifier, scope)
        }
        findings.unsupported(
            "the task that this step names is not part of the study: only its text is given", at: place)
        addStep(place, identifier, scope, as: "instruction")
    }

    private mutating func missing(_ name: String, _ place: JSONPlace) {
        findings.expected("the file of this transformer in the study's folder", at: place, found: "no \(name)")
    }

    /// The step of another file, in which this step's own members replace those of the same key.
    private mutating func addTransformed(_ place: JSONPlace, _ identifier: String, _ scope: SageScope, depth: Int) {
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
        guard case .object(let given) = resource.node.content, case .object(let members) = place.node.content else {
            findings.expected("a step", at: resource)
            return
        }
        let overriding = members.filter { !["type", "resourceTransformer", "resourceName"].contains($0.key) }
        let kept = given.filter { member in !overriding.contains { $0.key == member.key } }
        let merged = JSONNode(content: .object(kept + overriding), line: resource.node.line)
        let file = resource.path.split(separator: ":").first.map(String.init) ?? name
        addNode(JSONPlace(root: merged, file: file), identifier, scope, depth: depth + 1)
    }

    // MARK: - Rows

    private mutating func add(
        _ place: JSONPlace, _ identifier: String, _ scope: SageScope, text: String, format: AnswerFormat,
        kind: SageStep.Kind, field: SageField? = nil, isRequired: Bool = false, variant: String = ""
    ) {
        append(
            SageRow(
                place, identifier, scope, text: text, format: format, kind: kind, field: field, isRequired: isRequired,
                variant: variant))
    }

    private mutating func append(_ row: SageRow) {
        var row = row
        // Full instructions are for those who have not done the task yet.
        if ["fullInstructionsOnly", "isFirstRunOnly"].contains(where: { row.place.member($0)?.isTrue ?? false }) {
            row.hides.insert(Completed([key]), at: 0)
        }
        rows.append(row)
    }

    // MARK: - Steps

    /// Every type that is known, for the message about one that is not.
    private static let stepTypes = [
        "instruction", "overview", "completion", "permission", "feedback", "active", "countdown", "section", "subtask",
        "transform", "taskInfo", "simpleQuestion", "choiceQuestion", "stringChoiceQuestion", "comboBoxQuestion",
        "multipleInputQuestion", "form", "demographics", "imagePicker", "handSelection", "handInstruction", "tapping",
        "reactionTime", "gonogo", "timedWalk", "psat", "audioLevel", "motion", "tremor", "walk", "balance",
        "backgroundCountdown", "mpowerActive", "mtcCountdown", "transformableAssessment",
    ]
    /// Steps of MotorControl 2 that record motion by themselves, on iOS under one name.
    private static let motionTypes: Set<String> = ["motion", "tremor", "walk", "balance"]

    private mutating func addStep(
        _ place: JSONPlace, _ identifier: String, _ scope: SageScope, as given: String? = nil
    ) {
        let type = given ?? place.member("type")?.text
        switch type {
        case "overview", "completion", "permission", "feedback", "taskInfo": addInstruction(place, identifier, scope)
        case "instruction" where Self.lasts(place), "active", "mpowerActive":
            addTimedStep(place, identifier, scope, named: "active")
        case let type? where Self.motionTypes.contains(type): addMotion(place, identifier, scope)
        case "instruction": addInstruction(place, identifier, scope)
        case "countdown", "backgroundCountdown", "mtcCountdown":
            addTimedStep(place, identifier, scope, named: "countdown")
        case "tapping":
            addTimedStep(place, identifier, scope, named: "tapping")
            if isAssessmentModel { recordMotion(identifier, scope) }
        case let type? where SagePerformanceReader.types.contains(type): addPerformance(type, place, identifier, scope)
        case "simpleQuestion", "choiceQuestion", "stringChoiceQuestion", "comboBoxQuestion", "multipleInputQuestion",
            "form":
            addQuestion(place, identifier, scope)
        case "demographics" where place.member("inputFields") != nil: addQuestion(place, identifier, scope)
        case "handSelection": addHandSelection(place, identifier, scope)
        case "handInstruction": addHandInstruction(place, identifier, scope)
        case "imagePicker", "demographics":
            findings.unsupported("the pictures of this step are not shown, only its text is given", at: place)
            addInstruction(place, identifier, scope)
        case nil where isOld && place.member("type") == nil:
            findings.assume("a step without a type is given as text, as SageResearch 1 and 2 show it", at: place)
            addInstruction(place, identifier, scope)
        default: refuseType(place, identifier)
        }
    }

    private mutating func refuseType(_ place: JSONPlace, _ identifier: String) {
        let wanted = "a known type of step (\(Self.stepTypes.joined(separator: ", ")))"
        guard let type = place.member("type") else { return findings.missing("type", wanted, in: place) }
        findings.expected(wanted, at: type, found: "\(type.node.summary) of the step \"\(identifier)\"")
    }

    private mutating func addInstruction(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        for picture in ["image", "videoView"] {
            if let image = place.member(picture) { findings.unsupported("the picture is not shown", at: image) }
        }
        let text = SageText.all(of: place, hand: scope.hand)
        add(place, identifier, scope, text: text.isEmpty ? identifier : text, format: .instruction, kind: .base)
    }

    private mutating func addQuestion(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        var reader = SageQuestionReader(
            scope: scope, hasSkip: root.member("actions")?.member("skip") != nil, findings: findings)
        reader.read(place, identifier)
        findings = reader.findings
        for var row in reader.rows {
            row.sageStep.field?.sendsEmptyList = !isAssessmentModel
            append(row)
        }
    }

    private mutating func addPerformance(
        _ type: String, _ place: JSONPlace, _ identifier: String, _ scope: SageScope
    ) {
        var reader = SagePerformanceReader(place: place, findings: findings)
        let read = reader.read(type)
        findings = reader.findings
        guard let (format, field) = read else { return }
        let text = SageText.all(of: place, hand: scope.hand)
        if place.member("image") != nil { findings.unsupported("the picture is not shown", at: place) }
        add(
            place, identifier, scope, text: text.isEmpty ? identifier : text, format: format, kind: .answer,
            field: field)
    }

    // MARK: - Steps that last

    /// In v1 and v2 an instruction may last and speak.
    private static func lasts(_ place: JSONPlace) -> Bool { (place.member("duration")?.number ?? 0) > 0 }

    private mutating func addTimedStep(
        _ place: JSONPlace, _ identifier: String, _ scope: SageScope, named name: String
    ) {
        var reader = SageTimedStepReader(place: place, findings: findings)
        let read = reader.read(named: name, hand: scope.hand, isAssessmentModel: isAssessmentModel)
        findings = reader.findings
        guard let rules = read else { return }
        let text = SageText.all(of: place, hand: scope.hand)
        if place.member("image") != nil { findings.unsupported("the picture is not shown", at: place) }
        guard rules.duration > .zero || rules.takesTaps else {
            findings.assume("a step without a duration waits for a press", at: place)
            return add(
                place, identifier, scope, text: SageText.join([text] + rules.lines.map(\.text)), format: .instruction,
                kind: .base)
        }
        add(
            place, identifier, scope, text: text.isEmpty ? rules.lines.first?.text ?? identifier : text,
            format: .active(ActiveTask(rules)),
            kind: rules.takesTaps ? .tapping : .base)
    }

    private mutating func addMotion(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        guard place.member("duration") != nil else {
            return findings.missing("duration", "how many seconds it lasts", in: place)
        }
        addTimedStep(place, identifier, scope, named: "motion")
        recordMotion(identifier, scope)
    }

    private mutating func recordMotion(_ identifier: String, _ scope: SageScope) {
        guard let row = rows.last, row.sageStep.identifier == identifier else { return }
        actionReader.recordMotion(row, scope, &findings)
    }

    // MARK: - Hands

    private mutating func addHandSelection(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        guard hands == nil else {
            findings.expected("one choice of a hand in a task", at: place, found: "another")
            return
        }
        let key = (scope.sections + [identifier]).joined(separator: "/")
        drawHands(question: key, of: identifier, scope, isAlways: false)
        var field = SageField(.string)
        field.choices = [("left", "Left hand"), ("right", "Right hand"), ("both", "Both hands")].map { key, text in
            .init(key: key, value: .string(key), text: text, isAll: false, isExclusive: false)
        }
        let given = SageText.all(of: place)
        add(
            place, identifier, scope,
            text: given.isEmpty ? "Which hands are you able to use for this activity?" : given,
            format: .choice(
                ChoiceFormat(
                    options: field.choices.map { .init(value: $0.key, text: $0.text) }, isMultiple: false,
                    initial: "both")),
            kind: .handSelection, field: field, isRequired: true)
    }

    /// Adds two hidden steps, of which a run draws one: it says which hand comes first where both are used.
    private mutating func drawHands(question: String, of identifier: String, _ scope: SageScope, isAlways: Bool) {
        var order: [String: String] = [:]
        for hand in ["left", "right"] {
            let key = (scope.sections + [identifier, "first-\(hand)"]).joined(separator: "/")
            order[hand] = key
            var row = SageRow(
                step: Step(key: key, text: hand, format: .instruction, drawGroup: "handOrder", path: root.path),
                sageStep: SageStep(
                    identifier: "handOrder", sections: scope.sections, part: identifier, kind: .base), place: root)
            row.hides.append(Always())
            rows.append(row)
        }
        hands = SageHands(question: question, drawnSteps: order, isAlways: isAlways)
    }

    /// As in `TwoHandNavigator` there must be a section for each hand, side by side, and the participant
    /// cannot go back into or out of them.
    private mutating func checkHands() {
        let sections = (hands?.sections.values.map { $0 } ?? []).sorted { $0.lowerBound < $1.lowerBound }
        guard sections.count == 2, sections[0].upperBound == sections[1].lowerBound else {
            let found = (hands?.sections.keys.sorted() ?? []).joined(separator: ", ")
            return findings.expected(
                "the sections \"left\" and \"right\", one behind the other", at: root,
                found: found.isEmpty ? "none" : found)
        }
        for section in sections { rows[section.lowerBound].step.isOneWay = true }
        guard rows.last?.place.member("type")?.text == "completion" else { return }
        rows[rows.count - 1].step.isOneWay = true
    }

    /// An instruction whose `%@` becomes the hand of its section, else the hand that comes first.
    private mutating func addHandInstruction(_ place: JSONPlace, _ identifier: String, _ scope: SageScope) {
        let namesHand = scope.hand == nil && SageText.all(of: place).contains("%@")
        if namesHand, hands == nil {
            findings.expected("a handSelection before it, since it names a hand", at: place, found: "none")
        }
        guard namesHand, let hands else { return addInstruction(place, identifier, scope) }
        for hand in ["left", "right"] {
            add(
                place, identifier, scope, text: SageText.all(of: place, hand: hand), format: .instruction, kind: .base,
                variant: "-\(hand)")
            rows[rows.count - 1].hides.append(SageNotFirstHand(hands: hands, hand: hand))
        }
    }
}
