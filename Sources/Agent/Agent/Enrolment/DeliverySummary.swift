// SPDX-License-Identifier: Apache-2.0

/// What is not sent yet of an enrolment that was left, and where it is to go.
package struct DeliverySummary: Sendable, Hashable, CustomStringConvertible {
    package let unsent: Int
    package let addresses: [String]
    /// False = it is lost, and without it the server cannot be notified of the withdrawal.
    let hasStudyFile: Bool

    package var description: String {
        unsentText
            + (hasStudyFile ? "" : "; the study's file is lost, so its server is not told: tell the study's team")
    }

    private var unsentText: String {
        guard unsent > 0 else { return "everything has been sent" }
        return "\(unsent) item\(unsent == 1 ? " is" : "s are") not sent yet; studyd keeps sending"
            + (addresses.isEmpty ? "" : " to " + addresses.joined(separator: ", "))
            + ", whatever study comes next"
    }
}
