// SPDX-License-Identifier: Apache-2.0
import Base

/// A server answered, but not with what `PlatformDevice.download` asked for.
package struct DownloadError: ExplainedError, Sendable, Hashable {
    private let url: String
    package let status: Int
    package init(url: String, status: Int) { (self.url, self.status) = (url, status) }
    package var explanation: Explanation {
        Explanation(
            place: url, cause: "the server answered \(status)",
            remedy: isPassing ? "try again later" : "check the address and the study's key or token")
    }

    /// The server is busy or broken, whatever was asked for.
    private var isPassing: Bool { status == 429 || (500...599).contains(status) }
}
