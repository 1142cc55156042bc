// SPDX-License-Identifier: Apache-2.0
import Study
import Testing

@Suite struct DownloadErrorTests {
    /// RFC 9110 §15.5 and §15.6, RFC 6585 §4: which statuses say that the request was at fault.
    @Test(arguments: [
        (400, false), (401, false), (403, false), (404, false), (428, false), (429, true), (430, false), (499, false),
        (500, true), (503, true), (599, true), (600, false),
    ])
    func aServerThatIsBusyOrBrokenIsToBeAskedAgain(_ status: Int, _ isPassing: Bool) {
        let said = "\(DownloadError(url: "https://s.example/x", status: status))"
        #expect(said.contains("https://s.example/x") && said.contains("answered \(status)"), "\(said)")
        #expect(said.contains("try again later") == isPassing, "\(said)")
        #expect(said.contains("check the address and the study's key") == !isPassing, "\(said)")
    }
}
