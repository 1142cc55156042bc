// SPDX-License-Identifier: Apache-2.0

/// How taking part in a study ends, for `StudyEnd`, the panel's `LeavingDialogue` and `studyd withdraw`.
package struct LeavingRules: Sendable {
    /// When the study is over for a participant; nil = never.
    package var closing: (any StudyClosing)?
    /// What leaving does to the data at the server.
    package var withdrawal = WithdrawalRule.keepsData
    /// A participant who has left may take part again.
    package var allowsRejoining = true

    package init() {}
}
