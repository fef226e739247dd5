/** No test passes without an assertion. A property of fast-check counts by what its body expects. */
beforeEach(() => expect.hasAssertions());
