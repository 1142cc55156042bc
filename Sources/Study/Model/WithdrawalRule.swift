// SPDX-License-Identifier: Apache-2.0

/// What becomes of the data at the study's server when a participant leaves, by the panel (`LeavingDialogue`)
/// or by `studyd withdraw`.
package enum WithdrawalRule: Sendable, Hashable {
    case keepsData
    case deletesData
    /// The participant says; the text, which may be empty, is said before the question.
    case asks(String)
}
