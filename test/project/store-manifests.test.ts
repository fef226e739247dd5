import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { skipWithReason } from '../support/servers.ts';
import { ofKind, render } from './support/manifests.ts';
import { allValid, manifestValidator } from './support/validation.ts';

const rendered = await render('stores');
const base = await render('base');
if ('unavailable' in rendered || 'unavailable' in base)
  skipWithReason('k8s/stores', 'unavailable' in rendered ? rendered.unavailable : 'k8s/base cannot be rendered');
else {
  const { text, manifests } = rendered;
  const services = ofKind(manifests, 'Service');

  describe('k8s/stores', () => {
    it('offers every port that the roles may reach', () => {
      const reached = ofKind(base.manifests, 'NetworkPolicy')
        .flatMap(({ spec }) => spec.egress ?? [])
        .filter(({ to }) =>
          to.some(
            ({ namespaceSelector }) => namespaceSelector?.matchLabels['kubernetes.io/metadata.name'] === 'ply-stores',
          ),
        )
        .flatMap(({ ports }) => ports.map(({ port }) => port));
      expect(reached.length).toBeGreaterThan(4);
      expect(services.flatMap(({ spec }) => spec.ports.map(({ port }) => port))).toEqual(
        expect.arrayContaining(reached),
      );
    });

    it('runs the stores of compose.yaml in the same versions', () => {
      const compose = readFileSync(join(projectRoot, 'compose.yaml'), 'utf8');
      const imageOf = new Map(
        [...compose.matchAll(/^ {2}(\w+):\n {4}image: (\S+)/gm)].map(([, name, image]) => [name, image]),
      );
      const images = [...text.matchAll(/image: (\S+)/g)].map(([, image]) => image);
      expect(images.sort()).toEqual(services.map(({ metadata }) => imageOf.get(metadata.name)).sort());
    });

    it('contains no password', () => {
      expect(ofKind(manifests, 'Secret')).toEqual([]);
      expect(text).toContain('key: STORES_PASSWORD');
    });
  });

  const validate = await manifestValidator();
  if ('unavailable' in validate) skipWithReason('k8s/stores against the schemas', validate.unavailable);
  else
    it('k8s/stores matches the schemas of Kubernetes', async () => {
      expect(await validate(text)).toEqual(allValid(manifests.length));
    });
}
