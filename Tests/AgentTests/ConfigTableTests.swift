// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Agent

@Suite struct ConfigTableTests {
    @Test func placeholderForBoards() throws { #expect(ConfigSource.maximumSize == 1 << 20) }
}
