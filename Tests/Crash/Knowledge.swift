// SPDX-License-Identifier: Apache-2.0

/// What the run had said when the power went.
struct Knowledge {
    private(set) var boot = "a"
    private(set) var knowsAnchor = false
    /// Digests by recording number.
    private(set) var sealed: [Int: String] = [:]
    /// The most that was lost with files of the first boot that had nothing whole, by kind; nil =
    /// unknown.
    private(set) var removed: [String: Int?] = [:]
    /// What a recovery removed is not said yet; the agent's account of the boot has it.
    private(set) var isRecovering = false
    /// Samples put into rings, by boot and kind.
    private(set) var given: [String: [String: Int]] = [:]

    mutating func hear(_ mark: [Substring]) {
        switch mark.first {
        case "boot": (boot, isRecovering) = (String(mark[1]), true)
        case "anchor": knowsAnchor = true
        case "sealed": if let number = Int(mark[1]) { sealed[number] = String(mark[2]) }
        case "removed": removed.updateValue(Int(mark[2]), forKey: String(mark[1]))
        case "given":
            isRecovering = false
            given[boot, default: [:]][String(mark[1])] = Int(mark[2])
        default: break
        }
    }
}
