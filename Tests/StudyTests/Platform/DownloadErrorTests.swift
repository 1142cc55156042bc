// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@Suite struct DownloadErrorTests {
    /// RFC 9110 §15.5 and §15.6, RFC 6585 §4: what the one who asks can mend, and what passes.
    @Test(arguments: [
        (401, false), (403, false), (404, false), (410, false), (429, true), (500, true), (503, true), (504, true),
    ])
    func theRemedyIsThatOfTheStatus(status: Int, passes: Bool) {
        let explanation = DownloadError(url: "https://x", status: status).explanation
        #expect(explanation.cause.contains("\(status)"))
        #expect(explanation.remedy == (passes ? "try again later" : "check the address and the study's key or token"))
    }
}
