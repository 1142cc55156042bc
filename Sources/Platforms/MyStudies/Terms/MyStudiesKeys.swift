// SPDX-License-Identifier: Apache-2.0
import Study

/// Keys of steps that MyStudies does not have, made from those it has. `/` is in no key of the
/// server's.
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
