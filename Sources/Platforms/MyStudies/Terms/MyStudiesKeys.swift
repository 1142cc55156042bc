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
    static func introduction(of task: String) -> String { "\(task)/introduction" }
    static func conclusion(of task: String) -> String { "\(task)/conclusion" }
}
