// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Lab

@Suite struct NoteCardTests {
    /// A key that waits, or that was revoked, can be approved; one that is good need not be, and that of a revoked name
    /// is none.
    @Test(
        arguments: [
            ("k", .waiting, true), ("k", .pinned, false), ("k", .approved, false), ("k", .revoked, true),
            ("", .revoked, false),
        ] as [(String, DeviceKeys.State, Bool)])
    func onlyAKeyThatIsNotGoodCanBeApproved(letter: String, state: DeviceKeys.State, isOffered: Bool) {
        let now = Instant(seconds: 1_780_000_000)
        let key = letter.isEmpty ? "" : TestDevice(1).publicKey
        let text = NoteCard(
            participant: "P1", note: .none, keys: [.init(user: "P1", key: key, state: state, first: now, last: now)],
            changes: [], now: now
        ).html.text
        #expect(text.contains("Approve key \(key.prefix(12))\"") == isOffered)
        #expect(text.contains("name=\"key\" value=\"\(key)\"") == isOffered)
        #expect(text.contains("<code>every key</code>") == key.isEmpty)
        #expect(text.contains("<td>\(state.rawValue)<td") && text.contains("Revoke every key"))
    }

    @Test func withoutAKeyThereIsNoTable() {
        let card = NoteCard(
            participant: "P1", note: .none, keys: [], changes: [], now: Instant(seconds: 1_780_000_000))
        #expect(!card.html.text.contains("Keys of the device") && card.html.text.contains("Label and note"))
    }
}
