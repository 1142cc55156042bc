// SPDX-License-Identifier: Apache-2.0

/// The result of one step (`StudyWire.step`) of a delivery in several calls.
package enum WireStep: Sendable, Hashable {
    /// The delivery has come this far (nil = it begins again). This is stored, and the next step gets it as
    /// `WireTransport.location`.
    case located(String?)
    /// No further step now; the verdict says whether the request is to be tried again later.
    case finished(Verdict)
}
