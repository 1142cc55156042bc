// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Every command takes `--config` and `--state`, so that a script can pass them to all; some have
/// no use for them.
package struct UnusedOptions: ParsableArguments {
    @Option(name: .long, help: .hidden) var config: String?
    @Option(name: .long, help: .hidden) var state: String?

    package init() {}
}
