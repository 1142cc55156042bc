// SPDX-License-Identifier: Apache-2.0
import Study

/// Heights are sent, and compared in rules, in centimetres, whatever they are asked in.
enum MyStudiesHeight {
    static let inches = "in"

    /// The answer to a question of that kind in the units of the server; others stay as they are.
    static func centimetres(_ answer: Double, kind: String, _ format: AnswerFormat) -> Double {
        guard kind == "height", case .number(let number) = format, number.unit == inches else { return answer }
        // A tenth of an inch is a quarter of a centimetre: two decimals keep tenths apart.
        return (answer * 254).rounded() / 100
    }
}
