// SPDX-License-Identifier: Apache-2.0
import Lab

/// What the Response server makes of an activity's steps: the list of the activity and its sub-lists, one
/// column or sub-list a step, found by key without regard to case. `MyStudiesStudy` makes one for each
/// activity; `MyStudiesListRows` looks up where a result goes.
struct MyStudiesDesign: Sendable {
    /// What a column takes, by the name of its type in the server's database.
    enum Kind: String, Sendable {
        case number = "DOUBLE"
        case text = "VARCHAR"
        case truth = "BOOLEAN"
        case date = "TIMESTAMP"
    }

    /// Where a step's results go.
    indirect enum Place: Sendable {
        case column(Kind)
        /// A sub-list with a row for each choice; `hasOther` where a choice takes words.
        case choices(hasOther: Bool)
        /// A sub-list with its own columns.
        case group(MyStudiesDesign)
    }

    struct Field: Sendable {
        let key: String
        let place: Place
        /// The longest text its column takes, in UTF-16 units; nil = any.
        var longest: Int? = MyStudiesDesign.longestText
    }

    /// The longest text of a column for which the design names no length, and the most that it can name.
    private static let longestText = 4_000

    /// In the order of the steps.
    private let fields: [Field]
    /// Why the server would not take this design; empty where it does.
    let problems: [String]

    init(_ activity: JSONValue) {
        guard let id = activity["metadata"]?["activityId"]?.string, !id.isEmpty, let steps = activity["steps"]?.array
        else {
            self.init(fields: [], problems: ["The design lacks activityId or steps"])
            return
        }
        self.init(steps: steps)
    }

    private init(steps: [JSONValue]) {
        var fields: [Field] = []
        var problems: [String] = []
        for step in steps where step["type"]?.string?.lowercased() != "instruction" {
            guard let key = step["key"]?.string, !key.isEmpty else {
                problems.append("A step of the design has no key")
                continue
            }
            if fields.contains(where: { $0.key.lowercased() == key.lowercased() }) {
                problems.append("The design has more than one step with the key '\(key)'")
            }
            guard let place = Self.place(step["resultType"]?.string ?? "", step) else {
                problems.append("The design's step '\(key)' has an unknown result type")
                continue
            }
            if case .group(let design) = place { problems += design.problems }
            fields.append(Field(key: key, place: place, longest: Self.longest(step)))
        }
        self.init(fields: fields, problems: problems)
    }

    private init(fields: [Field], problems: [String] = []) { (self.fields, self.problems) = (fields, problems) }

    subscript(_ key: String) -> Field? { fields.first { $0.key.lowercased() == key.lowercased() } }

    /// What a result type is, whatever its letters' case; nil for those that the
    /// server does not know.
    static func place(_ type: String, _ step: JSONValue = .null) -> Place? {
        switch type.lowercased() {
        case "scale", "continuousscale", "numeric", "timeinterval", "height": .column(.number)
        case "textscale", "valuepicker", "imagechoice", "timeofday", "text", "email", "location": .column(.text)
        case "boolean": .column(.truth)
        case "date": .column(.date)
        case "textchoice": .choices(hasOther: hasOther(step))
        case "grouped", "groupedresult": .group(MyStudiesDesign(steps: step["steps"]?.array ?? []))
        case "fetalkickcounter": .group(task(["duration", "count"]))
        case "spatialspanmemory": .group(task(["score", "numberOfGames", "numberOfFailures"]))
        case "towerofhanoi":
            .group(
                MyStudiesDesign(fields: [
                    Field(key: "puzzleWasSolved", place: .column(.truth)),
                    Field(key: "numberOfMoves", place: .column(.number)),
                ]))
        default: nil
        }
    }

    /// `maxLength` of the format; 0, or more than a column can say, is no limit
    /// (`SurveyStep.getMaxLength`).
    private static func longest(_ step: JSONValue) -> Int? {
        guard let given = step["format"]?["maxLength"]?.double else { return longestText }
        return (1...Double(longestText)).contains(given) ? Int(given) : nil
    }

    /// The columns of the list below a choice.
    static func choices(_ key: String, hasOther: Bool) -> MyStudiesDesign {
        var fields = [Field(key: key, place: .column(.text))]
        if hasOther { fields.append(Field(key: otherColumn(key), place: .column(.text))) }
        return MyStudiesDesign(fields: fields)
    }

    private static func task(_ keys: [String]) -> MyStudiesDesign {
        MyStudiesDesign(fields: keys.map { Field(key: $0, place: .column(.number)) })
    }

    private static func hasOther(_ step: JSONValue) -> Bool {
        step["format"]?["textChoices"]?.array?.contains { choice in
            if case .object? = choice["other"] { true } else { false }
        } == true
    }

    /// The columns of a list: that of the activity `name`, or one below it. Nil = there is none.
    func columns(of list: String, in name: String) -> [String]? {
        var own: [String] = []
        for field in fields {
            let below = name + Self.capitalised(field.key)
            switch field.place {
            case .column: own.append(field.key)
            case .choices(let hasOther) where below.lowercased() == list.lowercased():
                return [field.key] + (hasOther ? [Self.otherColumn(field.key)] : [])
            case .choices: break
            case .group(let design): if let columns = design.columns(of: list, in: below) { return columns }
            }
        }
        return name.lowercased() == list.lowercased() ? own : nil
    }

    /// The column for the words of another choice.
    static func otherColumn(_ key: String) -> String { key + "_Other_Text" }

    /// With a capital first letter, as sub-lists are named after their step.
    static func capitalised(_ key: String) -> String { key.prefix(1).uppercased() + key.dropFirst() }
}
