// SPDX-License-Identifier: Apache-2.0
import Study

/// Keys of steps that MyStudies does not have, made from those it has: `MyStudiesActivityReader` makes such
/// steps, and `MyStudiesResults` leaves them out or joins them, by the properties of `Step` below. No key of
/// the server has a `/`.
enum MyStudiesKeys {
    static func question(_ key: String, of form: String, round: Int) -> String {
        round == 1 ? "\(form)/\(key)" : "\(form)/\(round)/\(key)"
    }
    static func more(of form: String, after round: Int) -> String { "\(form)/more/\(round)" }
    static func other(of question: String, value: String) -> String { "\(question)/other/\(value)" }
    /// The device's own name for the second and any later choice of one value.
    static func again(_ value: String, _ number: Int) -> String { "\(value)/again/\(number)" }
    /// The value of a choice as the study has it. One of its own such as `now/again/later` stays what it is.
    static func sent(_ choice: String) -> String {
        let parts = choice.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[parts.count - 2] == "again", let number = Int(parts[parts.count - 1]), number > 1
        else { return choice }
        return parts.dropLast(2).joined(separator: "/")
    }
    static func introduction(of task: String) -> String { "\(task)/introduction" }
    static func conclusion(of task: String) -> String { "\(task)/conclusion" }
}

extension Step {
    /// It asks for the text of a choice such as "other". `MyStudiesActivityReader` makes this step and the next, which
    /// have no results of their own.
    var isOther: Bool { key.contains("/other/") }
    /// It asks whether a form is to be repeated.
    var isMore: Bool { key.contains("/more/") }
    /// The form it belongs to, nil for a separate step.
    var form: String? {
        guard let slash = key.firstIndex(of: "/") else { return nil }
        return String(key[..<slash])
    }
    /// The round of a repeatable form, from 1; 1 for any other step.
    var round: Int {
        let parts = key.split(separator: "/")
        return parts.count > 2 ? Int(parts[1]) ?? 1 : 1
    }
    /// The key without form and round.
    var ownKey: String { key.split(separator: "/").last.map(String.init) ?? key }
}
